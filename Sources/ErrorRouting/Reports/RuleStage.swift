/// When a rule is tried.
public enum RuleStage: Sendable, Hashable, CaseIterable {
    /// Tried first: the rules that match errors.
    case rule
    /// Tried after the matching rules, if none of them matched.
    case onNoMatch
    /// Tried last, for every error.
    case always
}
