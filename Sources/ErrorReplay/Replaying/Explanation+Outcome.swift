import ErrorRouting

extension Explanation {
    /// Returns the outcome that the rules would have with the actions' recorded results.
    ///
    /// Use it for an error that other rules handled earlier. Only the results from that time are known: each action
    /// returned `.next`, except for the last. So the handling would stop at the n-th matching rule, where n is
    /// `matchedRuleCount`. It would stop earlier at an `ignore` or, if fewer rules match, at the last match.
    ///
    /// - Parameter count: The recorded number of rules that matched (`HandleOutcome.matchedRuleCount`); 0 has the same
    ///   effect as 1.
    /// - Returns: The outcome, without failures. It is `.unmatched` if no rule matches, and `.pending` if one of the
    ///   rules in question is `Verdict.undecided`.
    func outcome(matchedRuleCount count: Int) -> HandleOutcome {
        let reached: [Verdict] = [.matched, .matchedIfReached, .undecided]
        let matched = entries.lazy.filter { $0.stage == .rule && reached.contains($0.verdict) }.prefix(max(count, 1))
        if matched.contains(where: { $0.verdict == .undecided }) { return HandleOutcome(disposition: .pending) }
        guard let rule = matched.last?.rule else { return HandleOutcome(disposition: disposition) }
        return HandleOutcome(
            disposition: rule == ignoreRule ? .ignored : .handled, matchedRuleCount: matched.count, rule: rule)
    }
}
