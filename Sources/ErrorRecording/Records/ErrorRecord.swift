/// One report as a recorder writes it: a line in JSON Lines format.
///
/// The keys of the line are the names of these properties; a property that is nil is left out. All strings are escaped
/// and bounded like `ErrorReport.message`. A string can't terminate the line, because U+0085, U+2028, and U+2029 are
/// escaped too. A line is at most ``ErrorRecorder/Configuration/lineSize`` bytes long; if a record doesn't fit, it is
/// shortened, and ``shortened`` lists the affected fields.
///
/// Together, ``host``, ``service``, ``process``, ``start``, and ``sequence`` identify a record among the records of all
/// machines. So a line that was copied or read twice can be counted once.
public struct ErrorRecord: Codable, Sendable, Hashable {
    /// The version of this format.
    ///
    /// In a later version, the same names might have other meanings.
    public static let version = 1

    /// The version of the record's format.
    public var version = ErrorRecord.version
    /// When the error was posted, in UTC with microseconds; sorts as a string: `2026-05-31T16:05:09.125000Z`.
    ///
    /// The recorder computes it from the report's instant and one reading of the wall clock, so times are in the same
    /// order as instants. If the wall clock is changed by more than half a second, errors posted before the change keep
    /// the old time, and later errors have the new time.
    public var time: String
    /// The name of the machine.
    public var host: String
    /// The name of the service.
    public var service: String
    /// The release of the service, from the recorder's configuration; nil if it isn't set.
    public var release: String?
    /// The ID of the process on its machine.
    public var process: Int
    /// When the recorder was created, in the form of ``time``; two recorders of a process never have the same start.
    public var start: String
    /// The number of the report among the reports that the recorder received, from 1.
    ///
    /// If a number is missing in the files, its report was dropped or couldn't be written.
    public var sequence: Int
    /// The role of the post: `failure`, `attempt`, `notice`, or one of the application's roles.
    public var role: String
    /// The name of the error's type, with its module.
    public var type: String
    /// The name of the case if the error is an enum.
    public var caseName: String?
    /// The kind from the error's `ErrorDetails`, if they provide one; part of the ``fingerprint``.
    public var kind: String?
    /// The error's domain, if it defines one.
    public var domain: String?
    /// The error's code, if it defines a domain.
    public var code: Int?
    /// True if the error represents a cancellation, as `ErrorMatcher.cancellation` matches it; otherwise nil.
    public var cancellation: Bool?
    /// The error's message.
    public var message: String
    /// Where the error was posted: `Module/File.swift:12`.
    public var source: String
    /// Where the error was thrown, as `ErrorReport.origin` describes it: `Module/File.swift:12`; nil if unknown.
    public var origin: String?
    /// The path of scopes in which the error was posted, starting with the outermost scope.
    public var scope: [String]
    /// The metadata of the report.
    public var metadata: [String: String]
    /// The number of errors that the report represents.
    public var occurrences: Int
    /// When the first of these errors was posted, in the form of ``time``; nil if the report represents only one error.
    public var firstTime: String?
    /// The outcome: `handled`, `ignored`, or `unmatched`; `pending` or `dropped` if the error wasn't delivered.
    public var disposition: String
    /// The matcher of the rule that stopped the search or, if no rule did, of the last rule that matched.
    public var rule: String?
    /// Where that rule was registered: `Module/File.swift:12`.
    public var ruleSource: String?
    /// The number of rules that matched.
    public var matchedRuleCount: Int
    /// The string that reports are grouped by; see `ErrorReport.fingerprint`.
    public var fingerprint: String
    /// The underlying errors, from the outermost to the innermost.
    public var trail: [TrailStep]
    /// The error itself as JSON, if its type was added to the recorder's ``RebuildableErrors``.
    ///
    /// It is a string instead of an object, so that the field has the same type in every line.
    public var value: String?
    /// The fields that were shortened because the line would have been too long; nil if the record is complete.
    ///
    /// Possible names are `trail`, `value`, `message`, `metadata`, and `scope`. A shortened string ends in `…`.
    public var shortened: [String]?

    /// Creates a record, for example to test a `redact` closure.
    ///
    /// - Parameters:
    ///   - time: When the error was posted.
    ///   - host: The name of the machine.
    ///   - service: The name of the service.
    ///   - release: The release of the service.
    ///   - process: The ID of the process.
    ///   - start: When the recorder was created.
    ///   - sequence: The number of the report.
    ///   - role: The role of the post.
    ///   - type: The name of the error's type.
    ///   - caseName: The name of the case.
    ///   - kind: The kind from the error's details.
    ///   - domain: The error's domain.
    ///   - code: The error's code.
    ///   - cancellation: True if the error represents a cancellation.
    ///   - message: The error's message.
    ///   - source: Where the error was posted.
    ///   - origin: Where the error was thrown.
    ///   - scope: The path of scopes.
    ///   - metadata: The metadata of the report.
    ///   - occurrences: The number of errors that the report represents.
    ///   - firstTime: When the first of these errors was posted.
    ///   - disposition: The outcome.
    ///   - rule: The matcher of the rule that stopped the search, or of the last rule that matched.
    ///   - ruleSource: Where that rule was registered.
    ///   - matchedRuleCount: The number of rules that matched.
    ///   - fingerprint: The string that reports are grouped by.
    ///   - trail: The underlying errors.
    ///   - value: The error itself as JSON.
    ///   - shortened: The fields that were shortened.
    public init(
        time: String = "1970-01-01T00:00:00.000000Z",
        host: String = "",
        service: String = "",
        release: String? = nil,
        process: Int = 1,
        start: String = "1970-01-01T00:00:00.000000Z",
        sequence: Int = 1,
        role: String = "failure",
        type: String,
        caseName: String? = nil,
        kind: String? = nil,
        domain: String? = nil,
        code: Int? = nil,
        cancellation: Bool? = nil,
        message: String = "",
        source: String = "",
        origin: String? = nil,
        scope: [String] = [],
        metadata: [String: String] = [:],
        occurrences: Int = 1,
        firstTime: String? = nil,
        disposition: String = "unmatched",
        rule: String? = nil,
        ruleSource: String? = nil,
        matchedRuleCount: Int = 0,
        fingerprint: String = "",
        trail: [TrailStep] = [],
        value: String? = nil,
        shortened: [String]? = nil
    ) {
        self.time = time
        self.host = host
        self.service = service
        self.release = release
        self.process = process
        self.start = start
        self.sequence = sequence
        self.role = role
        self.type = type
        self.caseName = caseName
        self.kind = kind
        self.domain = domain
        self.code = code
        self.cancellation = cancellation
        self.message = message
        self.source = source
        self.origin = origin
        self.scope = scope
        self.metadata = metadata
        self.occurrences = occurrences
        self.firstTime = firstTime
        self.disposition = disposition
        self.rule = rule
        self.ruleSource = ruleSource
        self.matchedRuleCount = matchedRuleCount
        self.fingerprint = fingerprint
        self.trail = trail
        self.value = value
        self.shortened = shortened
    }

    /// An underlying error of the reported error.
    public struct TrailStep: Codable, Sendable, Hashable {
        /// The name of the error's type, with its module.
        public var type: String
        /// The error's message.
        public var message: String
        /// The error's type, and its case or its domain and code.
        public var fingerprint: String

        /// Creates a step.
        ///
        /// - Parameters:
        ///   - type: The name of the error's type.
        ///   - message: The error's message.
        ///   - fingerprint: The error's type, and its case or its domain and code.
        public init(type: String, message: String, fingerprint: String) {
            self.type = type
            self.message = message
            self.fingerprint = fingerprint
        }
    }
}
