import BoundedDescriptions
import Foundation

/// The texts of a report for exporters, dashboards, and screens. They are the same in every run of a program, and
/// contain no addresses.
extension ErrorReport {
    /// The name of the error's type, with its module: `Intake.PaymentError`.
    ///
    /// `URLError`, `CocoaError`, `POSIXError`, and the `NSError` objects of their domains have the same name on all
    /// platforms, such as `Foundation.URLError`. Other objects of Foundation's class are `Foundation.NSError`.
    public var typeName: String { ErrorText.typeName(of: error) }

    /// The kind that the error's ``ErrorDetails`` give, otherwise the name of an enum's case; nil if there is neither.
    ///
    /// A case's name has no payload. Enums imported from C have no case names.
    ///
    /// - Complexity: That of the error's own details; computed at each access.
    public var kindName: String? { described.kindName }

    /// The name of an enum's case; nil for other errors.
    package var caseName: String? { ErrorText.caseName(of: error).map(OneLine.escaped) }

    /// Where the error was thrown or created; nil if that isn't known.
    ///
    /// An error can give the place itself, by ``ErrorDetails/source``. The report's ``source`` is where it was posted.
    ///
    /// - Complexity: That of the error's own details; computed at each access.
    public var origin: ErrorOrigin? { described.origin }

    /// The error with its kind and details, read now.
    var described: DescribedError { described(error) }

    /// Returns an error of the trail with its kind and details, read now.
    func described(_ error: any Error) -> DescribedError { DescribedError(error, by: rareParts?.table) }

    /// The error's domain and code, if it defines them; otherwise nil.
    ///
    /// An `NSError` object or a `CustomNSError` defines them, such as `URLError`, `CocoaError`, and `POSIXError`. The
    /// domain is one line, escaped and bounded like ``message``. For other Swift errors, `NSError` derives a domain and
    /// a code from the type's name and the number of the case; ``typeName`` and ``kindName`` show these better.
    ///
    /// - Complexity: That of the error's own `errorDomain` and `errorCode`; computed at each access.
    public var domainAndCode: (domain: String, code: Int)? { ErrorText.domainAndCode(of: error) }

    /// The error's message on one line, as the default preset prints it.
    ///
    /// Line breaks, control characters, and invisible or reordering characters are escaped. A string of more than 16
    /// KiB is truncated, and ends in `…`. If the error's description in turn reads this message, the recursion ends
    /// with the type's name. A message that the error's ``ErrorDetails`` give replaces the description.
    ///
    /// - Complexity: That of the error's own details and description; computed at each access.
    public var message: String { OneLine.escaped(described.message) }

    /// A string to group reports by: the error's type, its kind, and the posting file.
    ///
    /// The kind is the first of these that exists: ``kindName``, the domain with the code.
    ///
    /// An example is `Intake.PaymentError.declined Intake/Rules.swift`. It is the same in every run and, as long as
    /// type, case, and file keep their names, in every release. It contains no line numbers or case numbers, because
    /// other edits change these. Payloads, messages, and scopes do not count.
    public var fingerprint: String { fingerprint(described, domainAndCode) }

    /// Returns the fingerprint of the report, whose error has been described before.
    func fingerprint(
        _ described: DescribedError, _ domainAndCode: @autoclosure () -> (domain: String, code: Int)?
    ) -> String { "\(described.fingerprint(domainAndCode())) \(OneLine.escaped(source.fileID))" }

    /// The report as fields of a structured log entry, or as an exporter's attributes.
    ///
    /// The fields are the metadata under its own keys, and the following ones. The error's own fields have the names of
    /// OpenTelemetry's semantic conventions for exceptions, so that backends find them:
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
    /// These replace metadata of the same name. Each value is one line, escaped and bounded like ``message``.
    ///
    /// ```swift
    /// logger.error("\(report.message)", metadata: report.fields.mapValues { "\($0)" })
    /// ```
    ///
    /// - Complexity: That of ``message`` and of ``trail``; computed at each access.
    public var fields: [String: String] {
        fields { _, trail in trail.map(\.description).joined(separator: " < ") }
    }

    /// Returns the ``fields`` with your own string for the trail.
    ///
    /// Use it for a log that has each string once. The message and the trail, which can be long, are computed once for
    /// both.
    ///
    /// - Parameter describeTrail: Returns the value of `error.trail`. It is called with the message and the trail,
    ///   unless the trail is empty.
    /// - Returns: The fields.
    /// - Complexity: That of ``message`` and of ``trail``.
    public func fields(
        describingTrail describeTrail: (_ message: String, _ trail: [TrailStep]) -> String
    ) -> [String: String] {
        var fields = metadata.mapValues(OneLine.escaped)
        let described = described
        let (message, trail) = messageAndTrail(described)
        fields["exception.type"] = described.typeName
        fields["exception.message"] = message
        if let kind = described.kindName { fields["error.kind"] = kind }
        if let place = described.origin?.frames.first {
            fields["code.file.path"] = place.file.map(OneLine.escaped)
            fields["code.line.number"] = place.line.map { "\($0)" }
            fields["code.function.name"] = place.function.map(OneLine.escaped)
        }
        fields["error.time"] = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        fields["error.role"] = OneLine.escaped(role.name)
        fields["error.fingerprint"] = fingerprint(described, domainAndCode)
        fields["error.source"] = OneLine.escaped(source.description)
        fields["error.disposition"] = outcome.disposition.rawValue
        if let rule = outcome.rule { fields["error.rule"] = OneLine.escaped(rule.description) }
        if !scope.isEmpty { fields["error.scope"] = OneLine.escaped(scope.joined(separator: "/")) }
        if !trail.isEmpty { fields["error.trail"] = describeTrail(message, trail) }
        if occurrences > 1 { fields["error.occurrences"] = "\(occurrences)" }
        return fields
    }

    // MARK: Trail

    /// An underlying error of the reported one: its type, message, and fingerprint.
    public struct TrailStep: Sendable, Hashable, CustomStringConvertible {
        /// The name of the error's type, with its module; see ``ErrorReport/typeName``.
        public let typeName: String
        /// The error's message; see ``ErrorReport/message``.
        public let message: String
        /// The error's type, and the first of these that it has: a case, a domain and a code, a kind of its own.
        ///
        /// It doesn't contain a kind from a bus's map: a replay, which has no map, compares it with a rebuilt error.
        public let fingerprint: String

        /// The type's name and the message: `Intake.Declined: declined(code: 51)`.
        public var description: String { "\(typeName): \(message)" }
    }

    /// The underlying errors of the reported one, from the outermost to the innermost.
    ///
    /// They are in the order in which ``ErrorMatcher/anywhere(_:)`` visits them, breadth first. The reported error
    /// itself is not included. There are at most 63 errors.
    ///
    /// - Complexity: O(number of errors and of their fields); computed at each access.
    public var trail: [TrailStep] { trail(nil) }

    /// Returns the message and the trail, for code that needs both: an error without a description is reflected only
    /// once.
    func messageAndTrail(_ described: DescribedError) -> (message: String, trail: [TrailStep]) {
        let (message, fields) = described.messageAndFields
        return (OneLine.escaped(message), trail(fields))
    }

    private func trail(_ fields: ReflectedFields?) -> [TrailStep] {
        underlyingErrors(fields).map { error in
            let described = described(error)
            return TrailStep(
                typeName: described.typeName, message: OneLine.escaped(described.message),
                fingerprint: described.fingerprintForReplay)
        }
    }

    /// Returns the errors of the trail.
    ///
    /// - Parameter fields: The fields of the reported error; nil if they are unknown.
    func underlyingErrors(_ fields: ReflectedFields? = nil) -> [any Error] {
        let errors = PerThread.inUserCode {
            var walk = UnderlyingErrorWalk(unboxed, fields: fields)
            walk.finish()
            return walk.links.dropFirst().map(\.error.error)
        }
        return errors ?? []
    }
}
