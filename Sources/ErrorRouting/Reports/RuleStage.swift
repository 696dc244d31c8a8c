/// When a rule is tried.
public enum RuleStage: Sendable, Hashable, CaseIterable {
    /// Tried first: the rules that match errors.
    case rule
    /// Tried after the matching rules, if none of them matched.
    case onNoMatch
    /// Tried last, for every error.
    case always

    /// The position of the stage in a dispatch.
    var number: Int {
        switch self {
        case .rule: 0
        case .onNoMatch: 1
        case .always: 2
        }
    }
}
