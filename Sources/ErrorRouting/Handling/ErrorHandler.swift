/// An ordered set of rules for errors: the errors to match, and the actions for them.
///
/// ```swift
/// let handler = ErrorHandler()
///     .on(PaymentError.self) { error in … ; return .stop }
///     .on(domain: NSURLErrorDomain) { error in … ; return .next }
///     .ignore(CancellationError.self)
///     .onNoMatch { error in … ; return .stop }
///     .always { error, report in … }
/// ```
///
/// The last registered rule is tried first, so the latest customization has priority. Matching actions run in that
/// order until one returns ``HandleStrategy/stop``. `onNoMatch` actions run only if no rule matched. `always` actions
/// run last, for every error. Both run in the same order until one returns `.stop`. If an action throws, its rule
/// counts as matched and the search continues as if the action had returned `.next`. The thrown error becomes an
/// ``ActionFailure`` in the outcome.
///
/// A handler is a value: every method returns a new handler, and customizing a shared preset never changes the preset.
public struct ErrorHandler: Sendable, CustomStringConvertible {
    var rules = RuleSet()

    /// Creates a handler without rules, which doesn't match any error.
    public init() {}

    /// Returns this handler with another handler's rules added.
    ///
    /// - Parameter overlay: The handler to add. Its rules count as registered later, so they are tried first.
    /// - Returns: A handler with the rules of both handlers.
    /// - Complexity: O(number of overlaid handlers), because the rules are shared. If neither handler has been used
    ///   before, it also takes O(number of rules).
    public func overlaid(with overlay: ErrorHandler) -> ErrorHandler {
        var result = self
        result.rules.append(overlay.rules)
        return result
    }

    /// Returns this handler with a rule added to a stage.
    @usableFromInline
    func adding(_ rule: Rule, to stage: RuleStage = .rule) -> ErrorHandler {
        var result = self
        result.rules.add(rule, to: stage)
        return result
    }

    /// Returns this handler with a rule for the errors that a matcher matches.
    @inlinable
    func adding<Output>(
        _ matcher: ErrorMatcher<Output>, _ fileID: String, _ line: UInt,
        _ action: consuming MatcherRule<Output>.Action
    ) -> ErrorHandler { adding(MatcherRule(matcher, at: .init(fileID: fileID, line: line), action)) }

    /// Returns this handler with a fallback; descriptions show it under the name of its method, which its stage has.
    func adding(
        to stage: RuleStage, _ fileID: String, _ line: UInt, _ action: consuming MatcherRule<any Error>.Action
    ) -> ErrorHandler {
        let matcher = ErrorMatcher.any.named(stage == .always ? "always" : "onNoMatch")
        return adding(MatcherRule(matcher, at: .init(fileID: fileID, line: line), action), to: stage)
    }

    /// The rules in the order in which they are tried, each with its source location.
    public var description: String {
        if rules.isEmpty { return "ErrorHandler: no rules" }
        var lines = ["ErrorHandler, in the order tried:"]
        for stage in RuleStage.allCases {
            for rule in rules[stage] {
                let verb = rule.traits.stop?.verbs.inHandler ?? (stage == .rule ? "on " : "")
                lines.append("  \(lines.count). \(verb)\(rule.description)")
            }
        }
        return lines.joined(separator: "\n")
    }
}
