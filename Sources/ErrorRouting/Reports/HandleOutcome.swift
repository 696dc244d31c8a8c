/// The value that an action returns, which determines whether later rules are tried.
public enum HandleStrategy: Sendable {
    /// Continue with the next matching rule.
    case next
    /// Don't try any more rules of the same stage: matching rules, `onNoMatch`, or `always`.
    case stop
}

/// The result of handling an error.
public struct HandleOutcome: Sendable, CustomStringConvertible {
    /// How the handling of an error ended; `pending` if it hasn't ended yet.
    public enum Disposition: String, Sendable, Hashable, CaseIterable, Codable {
        /// A rule matched.
        case handled
        /// The rule that stopped the error was an `ignore`.
        case ignored
        /// No rule matched; only `onNoMatch` and `always` actions ran.
        case unmatched
        /// The error was not delivered: the bus was full, finished, or shut down first.
        case dropped
        /// The error hasn't been handled yet, or a flood limit holds it back, to deliver or suppress it later.
        case pending
    }

    /// How the handling of the error ended.
    public let disposition: Disposition
    /// The number of rules that matched; `onNoMatch` and `always` don't count.
    public let matchedRuleCount: Int
    /// The rule that stopped the search or, if none did, the last match; nil if none matched.
    public let rule: RuleDescription?
    /// The failures of actions that threw or exceeded the time limit, in order.
    public var failures: [ActionFailure] { failed ?? [] }
    /// The failures; nil if there are none, because even an empty array would cost a release.
    let failed: [ActionFailure]?

    /// The outcome of an error that hasn't been handled yet.
    static var pending: HandleOutcome { HandleOutcome(disposition: .pending) }

    /// Whether the error was handled or deliberately ignored.
    public var isHandled: Bool { disposition == .handled || disposition == .ignored }

    /// The outcome on one line: `handled by type(PaymentError) at Intake/Rules.swift:12`.
    public var description: String {
        var text = disposition.rawValue
        if let rule { text += " by \(rule)" }
        if matchedRuleCount > 1 { text += " (\(matchedRuleCount) rules matched)" }
        if let failures = failed { text += ", \(failures.count) \(failures.count == 1 ? "action" : "actions") failed" }
        return text
    }
}

extension HandleOutcome {
    /// Creates an outcome for tests and for a custom ``ErrorPosting``.
    ///
    /// - Parameters:
    ///   - disposition: How the handling of the error ended.
    ///   - matchedRuleCount: The number of rules that matched.
    ///   - rule: The rule that stopped the search or, if none did, the last match.
    ///   - failures: The failures of actions, in order.
    public init(
        disposition: Disposition,
        matchedRuleCount: Int = 0,
        rule: RuleDescription? = nil,
        failures: [ActionFailure] = []
    ) {
        self.init(
            disposition: disposition, matchedRuleCount: matchedRuleCount, rule: rule,
            failed: failures.isEmpty ? nil : failures)
    }
}

extension HandleOutcome: Equatable {
    /// Whether two outcomes are equal in everything that they show.
    ///
    /// Failures are compared by their rules, and by the types and messages of their errors, because most error types
    /// aren't `Equatable`.
    public static func == (first: Self, second: Self) -> Bool {
        first.disposition == second.disposition && first.matchedRuleCount == second.matchedRuleCount
            && first.rule == second.rule
            && first.failures.elementsEqual(second.failures) { first, second in
                first.rule == second.rule && ErrorText.looksSame(first.error, second.error)
                    && ErrorText.looksSame(first.report.error, second.report.error)
            }
    }
}

/// What a dispatch decides about an error: the dispositions that it can lead to.
enum Decision: Sendable {
    case handled
    case ignored
    case unmatched

    var disposition: HandleOutcome.Disposition {
        switch self {
        case .handled: .handled
        case .ignored: .ignored
        case .unmatched: .unmatched
        }
    }
}
