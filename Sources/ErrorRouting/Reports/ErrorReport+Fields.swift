import BoundedDescriptions
import Foundation

extension ErrorReport {
    /// The report as fields of a structured log entry, or as an exporter's attributes.
    ///
    /// The fields are the metadata, under its own keys, and the fields in this table. The fields about the error itself
    /// have the names of OpenTelemetry's semantic conventions for exceptions, so that backends recognize them:
    ///
    /// | key | value |
    /// | --- | --- |
    /// | `exception.type` | ``typeName`` |
    /// | `exception.message` | ``message`` |
    /// | `code.file.path` | the file of the ``origin``; only if it is known |
    /// | `code.line.number` | its line; only if it is known |
    /// | `code.function.name` | its function; only if it is known |
    /// | `error.kind` | ``kindName``; only if there is one |
    /// | `error.time` | when the error was posted, such as `2026-05-31T16:05:09.125Z` |
    /// | `error.role` | ``role`` |
    /// | `error.fingerprint` | ``fingerprint`` |
    /// | `error.source` | the file and line where the error was posted |
    /// | `error.disposition` | the disposition so far, such as `handled` |
    /// | `error.rule` | the rule that stopped the search or, if none did, the last match; only if a rule matched |
    /// | `error.scope` | the path of scopes, such as `checkout/payment`; only if posted in a scope |
    /// | `error.trail` | the ``trail``, from the outermost to the innermost error; only if not empty |
    /// | `error.occurrences` | ``occurrences``; only if more than one |
    ///
    /// These fields replace metadata with the same names. Each value is one line, escaped and bounded like ``message``;
    /// in the trail, each error's message is bounded by itself.
    ///
    /// ```swift
    /// logger.error("\(report.message)", metadata: report.fields.mapValues { "\($0)" })
    /// ```
    ///
    /// - Complexity: The same as ``message`` and ``trail`` together; computed on each access.
    public var fields: [String: String] {
        fields { _, trail in trail.map(\.description).joined(separator: " < ") }
    }

    /// Returns the ``fields`` with a custom string for the trail.
    ///
    /// Use it for a log in which each string occurs only once. The message and the trail, which can be long, are
    /// computed once for the fields and the custom string.
    ///
    /// - Parameter describeTrail: Returns the value of `error.trail`. It is called with the message and the trail,
    ///   unless the trail is empty.
    /// - Returns: The fields.
    /// - Complexity: The same as ``message`` and ``trail`` together.
    public func fields(
        describingTrail describeTrail: (_ message: String, _ trail: [TrailStep]) -> String
    ) -> [String: String] {
        var fields = metadata.mapValues(OneLine.escaped)
        let texts = texts
        fields["exception.type"] = texts.typeName
        fields["exception.message"] = texts.message
        if let kind = texts.kindName { fields["error.kind"] = kind }
        if let place = texts.origin?.frames.first {
            fields["code.file.path"] = place.file.map(OneLine.escaped)
            fields["code.line.number"] = place.line.map { "\($0)" }
            fields["code.function.name"] = place.function.map(OneLine.escaped)
        }
        fields["error.time"] = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        fields["error.role"] = OneLine.escaped(role.name)
        fields["error.fingerprint"] = texts.fingerprint
        fields["error.source"] = OneLine.escaped(source.description)
        fields["error.disposition"] = outcome.disposition.rawValue
        if let rule = outcome.rule { fields["error.rule"] = OneLine.escaped(rule.description) }
        if !scope.isEmpty { fields["error.scope"] = OneLine.escaped(scope.joined(separator: "/")) }
        if !texts.trail.isEmpty { fields["error.trail"] = describeTrail(texts.message, texts.trail) }
        if occurrences > 1 { fields["error.occurrences"] = "\(occurrences)" }
        return fields
    }
}
