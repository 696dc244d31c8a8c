/// When a rule is tried.
public enum RuleStage: Sendable, Hashable, CaseIterable {
    /// Among the rules that match errors.
    case rule
    /// After these, if none of them matched.
    case onNoMatch
    /// Last, for every error.
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
