/// The rules of one handler, each list in the order of registration.
///
/// They are tried from the last to the first.
struct RuleSet: Sendable {
    /// The lists, in the order in which a dispatch goes through them.
    enum Stage: Int, Sendable, Hashable, CaseIterable {
        case rules, onNoMatch, always
    }

    private var lists: [[Rule]] = [[], [], []]

    subscript(stage: Stage) -> [Rule] { lists[stage.rawValue] }

    mutating func add(_ rule: Rule, to stage: Stage) {
        lists[stage.rawValue].append(rule)
    }

    /// Adds another set's rules as if they had been registered after these.
    mutating func append(_ later: RuleSet) {
        for stage in Stage.allCases { lists[stage.rawValue] += later[stage] }
    }
}
