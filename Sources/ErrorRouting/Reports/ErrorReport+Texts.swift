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

    /// The name of the error's case, such as `declined`; nil if the error is not an enum.
    ///
    /// The name has no payload. Enums imported from C have no case names either.
    public var caseName: String? { ErrorText.caseName(of: error).map(OneLine.escaped) }

    /// The error's domain and code, if it defines them; otherwise nil.
    ///
    /// An `NSError` object or a `CustomNSError` defines them, such as `URLError`, `CocoaError`, and `POSIXError`. The
    /// domain is one line, escaped and bounded like ``message``. For other Swift errors, `NSError` derives a domain and
    /// a code from the type's name and the number of the case; ``typeName`` and ``caseName`` show these better.
    ///
    /// - Complexity: That of the error's own `errorDomain` and `errorCode`; computed at each access.
    public var domainAndCode: (domain: String, code: Int)? { ErrorText.domainAndCode(of: error) }

    /// The error's message on one line, as the default preset prints it.
    ///
    /// Line breaks, control characters, and invisible or reordering characters are escaped. A string of more than 16
    /// KiB is truncated, and ends in `…`. If the error's description in turn reads this message, the recursion ends
    /// with the type's name.
    ///
    /// - Complexity: That of the error's own description; computed at each access.
    public var message: String { OneLine.escaped(ErrorText.message(of: error)) }

    /// A string to group reports by: the error's type, its case or, without one, the domain and code, and the posting
    /// file.
    ///
    /// An example is `Intake.PaymentError.declined Intake/Rules.swift`. It is the same in every run and, as long as
    /// type, case, and file keep their names, in every release. It contains no line numbers or case numbers, because
    /// other edits change these. Payloads, messages, and scopes do not count.
    public var fingerprint: String { fingerprint(ErrorKind(of: error), domainAndCode) }

    /// Returns the fingerprint of the report for a known kind of its error.
    func fingerprint(
        _ kind: ErrorKind, _ domainAndCode: @autoclosure () -> (domain: String, code: Int)?
    ) -> String { "\(kind.fingerprint(domainAndCode())) \(OneLine.escaped(source.fileID))" }

    /// The report as fields of a structured log entry, or as an exporter's attributes.
    ///
    /// The fields are the metadata under its own keys, and the following ones. The error's own fields have the names of
    /// OpenTelemetry's semantic conventions for exceptions, so that backends find them:
    ///
    /// | key | value |
    /// | --- | --- |
    /// | `exception.type` | ``typeName`` |
    /// | `exception.message` | ``message`` |
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
        let (message, trail) = messageAndTrail
        fields["exception.type"] = typeName
        fields["exception.message"] = message
        fields["error.time"] = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        fields["error.role"] = OneLine.escaped(role.name)
        fields["error.fingerprint"] = fingerprint
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
        /// The error's type, and its case or its domain and code; see ``ErrorReport/fingerprint``.
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

    /// The message and the trail, for code that needs both: an error without a description is reflected only once.
    var messageAndTrail: (message: String, trail: [TrailStep]) {
        let (message, fields) = ErrorText.messageAndFields(of: error)
        return (OneLine.escaped(message), trail(fields))
    }

    private func trail(_ fields: ReflectedFields?) -> [TrailStep] {
        underlyingErrors(fields).map { error in
            let kind = ErrorKind(of: error)
            let message = OneLine.escaped(ErrorText.message(of: error))
            let fingerprint = kind.fingerprint(ErrorText.domainAndCode(of: error))
            return TrailStep(typeName: kind.typeName, message: message, fingerprint: fingerprint)
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
