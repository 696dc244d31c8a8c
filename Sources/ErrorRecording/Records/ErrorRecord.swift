/// One report as a recorder writes it: a line of JSON.
///
/// The keys of the line are the names of these properties. What is nil is left out. All texts are escaped and bounded
/// as `ErrorReport.message` is, and whatever the error says, the line has no other character at which a reader ends a
/// line: U+0085, U+2028 and U+2029 are escaped too. A line has at most ``ErrorRecorder/Configuration/lineSize`` bytes:
/// a record that does not fit is ``shortened``.
///
/// ``host``, ``service``, ``process``, ``start`` and ``sequence`` together identify a record among those of all
/// machines: a line that was copied or read twice can be counted once.
public struct ErrorRecord: Codable, Sendable, Hashable {
    /// The version of this format; a record of a later version may mean something else by the same names.
    public static let version = 1

    /// The version of the format that the record is written in.
    public var version = ErrorRecord.version
    /// When the error was posted, in UTC and to the microsecond; sorts as a text: `2026-05-31T16:05:09.125000Z`.
    ///
    /// Computed from the report's instant and one reading of the wall clock, so that the times of a recorder are in the
    /// order of instants. If the wall clock is set, by more than half a second, errors that were posted before have the
    /// old time and later ones the new time.
    public var time: String
    /// The name of the machine.
    public var host: String
    /// The name of the service.
    public var service: String
    /// The number of the process on its machine.
    public var process: Int
    /// When the recorder was made, in the form of ``time``; no two recorders of a process have the same.
    public var start: String
    /// The number of the report among those that the recorder was given, from 1.
    ///
    /// A number that is in no file is that of a report that was dropped, or could not be written.
    public var sequence: Int
    /// What the post was: `failure`, `attempt`, `notice`, or a role of the application's.
    public var role: String
    /// The name of the error's type, with its module.
    public var type: String
    /// The name of the case, if the error is an enum.
    public var caseName: String?
    /// The error's domain, if it defines one.
    public var domain: String?
    /// The error's code, if it defines a domain.
    public var code: Int?
    /// True if the error says that work was cancelled, as `ErrorMatcher.cancellation` matches it; otherwise nil.
    public var cancellation: Bool?
    /// The error's message.
    public var message: String
    /// Where the error was posted: `Module/File.swift:12`.
    public var source: String
    /// The path of scopes in which the error was posted, the outermost first.
    public var scope: [String]
    /// The metadata of the report.
    public var metadata: [String: String]
    /// The number of errors that the report stands for.
    public var occurrences: Int
    /// How the error ended: `handled`, `ignored` or `unmatched`; `pending` or `dropped` if it was not delivered.
    public var disposition: String
    /// The matcher of the rule that stopped, else of the last rule that matched.
    public var rule: String?
    /// Where that rule was registered: `Module/File.swift:12`.
    public var ruleSource: String?
    /// The number of rules that matched.
    public var matchedRuleCount: Int
    /// The text by which reports are grouped: see `ErrorReport.fingerprint`.
    public var fingerprint: String
    /// The errors under the reported one, from the outside in.
    public var trail: [TrailStep]
    /// The error itself as JSON, if its type was added to the recorder's ``RebuildableErrors``.
    ///
    /// A text and not an object, so that the field has one type in every line, whatever the errors are.
    public var value: String?
    /// The fields of which something is left out, because the line would have been too long; nil if nothing is.
    ///
    /// Of `trail`, `value`, `message`, `metadata` and `scope`. A text that was shortened ends in `…`.
    public var shortened: [String]?

    /// Makes a record, for example to test a `redact` closure.
    ///
    /// - Parameters:
    ///   - time: When the error was posted.
    ///   - host: The name of the machine.
    ///   - service: The name of the service.
    ///   - process: The number of the process.
    ///   - start: When the recorder was made.
    ///   - sequence: The number of the report.
    ///   - role: What the post was.
    ///   - type: The name of the error's type.
    ///   - caseName: The name of the case.
    ///   - domain: The error's domain.
    ///   - code: The error's code.
    ///   - cancellation: True if the error says that work was cancelled.
    ///   - message: The error's message.
    ///   - source: Where the error was posted.
    ///   - scope: The path of scopes.
    ///   - metadata: The metadata of the report.
    ///   - occurrences: The number of errors that the report stands for.
    ///   - disposition: How the error ended.
    ///   - rule: The matcher of the rule that stopped, or of the last rule that matched.
    ///   - ruleSource: Where that rule was registered.
    ///   - matchedRuleCount: The number of rules that matched.
    ///   - fingerprint: The text by which reports are grouped.
    ///   - trail: The errors under the reported one.
    ///   - value: The error itself as JSON.
    ///   - shortened: The fields of which something is left out.
    public init(
        time: String = "1970-01-01T00:00:00.000000Z",
        host: String = "",
        service: String = "",
        process: Int = 1,
        start: String = "1970-01-01T00:00:00.000000Z",
        sequence: Int = 1,
        role: String = "failure",
        type: String,
        caseName: String? = nil,
        domain: String? = nil,
        code: Int? = nil,
        cancellation: Bool? = nil,
        message: String = "",
        source: String = "",
        scope: [String] = [],
        metadata: [String: String] = [:],
        occurrences: Int = 1,
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
        self.process = process
        self.start = start
        self.sequence = sequence
        self.role = role
        self.type = type
        self.caseName = caseName
        self.domain = domain
        self.code = code
        self.cancellation = cancellation
        self.message = message
        self.source = source
        self.scope = scope
        self.metadata = metadata
        self.occurrences = occurrences
        self.disposition = disposition
        self.rule = rule
        self.ruleSource = ruleSource
        self.matchedRuleCount = matchedRuleCount
        self.fingerprint = fingerprint
        self.trail = trail
        self.value = value
        self.shortened = shortened
    }

    /// An error under the reported one.
    public struct TrailStep: Codable, Sendable, Hashable {
        /// The name of the error's type, with its module.
        public var type: String
        /// The error's message.
        public var message: String
        /// The error's type, and its case or its domain and code.
        public var fingerprint: String

        /// Makes a step.
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
