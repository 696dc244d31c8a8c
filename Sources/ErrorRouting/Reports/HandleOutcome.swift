/// What became of an error.
public struct HandleOutcome: Sendable, CustomStringConvertible {
    /// The end that an error came to.
    public enum Disposition: String, Sendable, Hashable, CaseIterable {
        /// A rule matched.
        case handled
        /// The rule that stopped the error was an `ignore`.
        case ignored
        /// No rule matched; `onNoMatch` had it.
        case unmatched
        /// A flood limit held it back, and a later error of its kind stands for it.
        case suppressed
        /// It was not delivered: the bus was full, finished, or shut down first.
        case dropped
        /// It is posted, and not yet delivered.
        case pending
    }

    /// The end that the error came to.
    public let disposition: Disposition
    /// How many rules matched; `onNoMatch` and `always` do not count.
    public let matchedRuleCount: Int
    /// The rule that stopped, else the last that matched; nil if none did.
    public let rule: RuleDescription?
    /// The actions that threw, or that outlived the time limit, in order.
    public let failures: [ActionFailure]

    /// Makes an outcome, for tests and for posters of one's own.
    ///
    /// - Parameters:
    ///   - disposition: The end that the error came to.
    ///   - matchedRuleCount: How many rules matched.
    ///   - rule: The rule that stopped, else the last that matched.
    ///   - failures: The actions that failed.
    public init(
        disposition: Disposition,
        matchedRuleCount: Int = 0,
        rule: RuleDescription? = nil,
        failures: [ActionFailure] = []
    ) {
        self.disposition = disposition
        self.matchedRuleCount = matchedRuleCount
        self.rule = rule
        self.failures = failures
    }

    /// What is said of an error that is not handled yet.
    static var pending: HandleOutcome { HandleOutcome(disposition: .pending) }

    /// Whether a rule took the error: it was handled, or deliberately ignored.
    public var isHandled: Bool { disposition == .handled || disposition == .ignored }

    /// The outcome on one line: `handled by type(PaymentError) at Intake/Rules.swift:12`.
    public var description: String {
        var text = disposition.rawValue
        if let rule { text += " by \(rule)" }
        if matchedRuleCount > 1 { text += " (\(matchedRuleCount) rules matched)" }
        if !failures.isEmpty { text += ", \(failures.count) \(failures.count == 1 ? "action" : "actions") failed" }
        return text
    }
}
