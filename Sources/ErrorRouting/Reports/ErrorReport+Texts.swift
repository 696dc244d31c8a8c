import BoundedDescriptions
import Foundation

/// The strings of a report for exporters, dashboards, and screens.
///
/// They are the same in every run of a program and contain no addresses.
extension ErrorReport {
    /// The name of the error's type, with its module: `Intake.PaymentError`.
    ///
    /// `URLError`, `CocoaError`, `POSIXError`, and the `NSError` objects of their domains have the same name on all
    /// platforms, such as `Foundation.URLError`. The name for other `NSError` objects is `Foundation.NSError`.
    public var typeName: String { ErrorText.typeName(of: error) }

    /// The first of these that exists: the kind from the error's ``ErrorDetails``, the name of an enum's case.
    ///
    /// It is nil if neither exists. A case's name doesn't include the payload. Enums imported from C don't have case
    /// names.
    ///
    /// - Complexity: The same as the error's own details; computed on each access.
    public var kindName: String? { described.kindName }

    /// The name of an enum's case; nil for other errors.
    package var caseName: String? { ErrorText.caseName(of: error).map(OneLine.escaped) }

    /// Where the error was thrown or created; nil if that is unknown.
    ///
    /// An error can provide the place itself with ``ErrorDetails/source``. In contrast, the report's ``source`` is
    /// where the error was posted.
    ///
    /// - Complexity: The same as the error's own details; computed on each access.
    public var origin: ErrorOrigin? { described.origin }

    /// The error with its kind and details, read now.
    var described: DescribedError { described(error) }

    /// Returns an underlying error with its kind and details, read now.
    func described(_ error: any Error) -> DescribedError { DescribedError(error, by: rareParts?.value.table) }

    /// The error's domain and code, if it defines them; otherwise nil.
    ///
    /// `NSError` objects and `CustomNSError` types define them, including `URLError`, `CocoaError`, and `POSIXError`.
    /// The domain is one line, escaped and bounded like ``message``. For other Swift errors, `NSError` derives a domain
    /// and a code from the type's name and the number of the case; ``typeName`` and ``kindName`` show these better.
    ///
    /// - Complexity: The same as the error's own `errorDomain` and `errorCode`; computed on each access.
    public var domainAndCode: (domain: String, code: Int)? { ErrorText.domainAndCode(of: error) }

    /// The error's message on one line, as the default preset prints it.
    ///
    /// Line breaks, control characters, and invisible or reordering characters are escaped. A string of more than 16
    /// KiB is truncated and ends in `…`. If the error's description reads this message, the recursion stops and the
    /// message is the type's name. A message that the error's ``ErrorDetails`` provide replaces the description.
    ///
    /// - Complexity: The same as the error's own details and description; computed on each access.
    public var message: String { OneLine.escaped(described.message) }

    /// A string to group reports by: the error's type, its kind, and the posting file.
    ///
    /// The kind is the first of these that exists: ``kindName``, the domain with the code.
    ///
    /// An example is `Intake.PaymentError.declined Intake/Rules.swift`. The fingerprint is the same in every run and,
    /// as long as the type, case, and file keep their names, in every release. It contains no line numbers or case
    /// numbers, because unrelated edits change these. It doesn't depend on payloads, messages, or scopes.
    public var fingerprint: String { fingerprint(described, domainAndCode) }

    /// Returns the report's fingerprint, given its error's description.
    func fingerprint(
        _ described: DescribedError, _ domainAndCode: @autoclosure () -> (domain: String, code: Int)?
    ) -> String { "\(described.fingerprint(domainAndCode())) \(OneLine.escaped(source.fileID))" }

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
    /// These fields replace metadata with the same names. Each value is one line, escaped and bounded like ``message``.
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

    /// An underlying error of the reported error: its type, message, and fingerprint.
    public struct TrailStep: Sendable, Hashable, CustomStringConvertible {
        /// The name of the error's type, with its module; see ``ErrorReport/typeName``.
        public let typeName: String
        /// The error's message; see ``ErrorReport/message``.
        public let message: String
        /// The error's type with the first of these that the error has: a case, a domain and a code, its own kind.
        ///
        /// A kind from a bus's map isn't included: a replay, which has no map, compares the fingerprint with a rebuilt
        /// error's fingerprint.
        public let fingerprint: String

        /// The type's name and the message: `Intake.Declined: declined(code: 51)`.
        public var description: String { "\(typeName): \(message)" }
    }

    /// The underlying errors of the reported error, from the outermost to the innermost.
    ///
    /// They are in the order in which ``ErrorMatcher/anywhere(_:)`` visits them, breadth first. The reported error
    /// itself is not included. The trail contains at most 63 errors.
    ///
    /// - Complexity: O(number of underlying errors and their fields); computed on each access.
    public var trail: [TrailStep] { trail(nil) }

    /// Returns the message and the trail together, so that an error without a description is reflected only once.
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

    /// Returns the underlying errors, using the fields of the reported error if they were already read.
    func underlyingErrors(_ fields: ReflectedFields? = nil) -> [any Error] {
        let errors = PerThread.inUserCode {
            var walk = UnderlyingErrorWalk(unboxed, fields: fields)
            walk.finish()
            return walk.links.dropFirst().map(\.error.error)
        }
        return errors ?? []
    }
}
