/// The rules of one handler or map.
///
/// A value that refers to the last node of a list: adding a rule, or another set on top, adds one node and shares the
/// rest. Dispatches read the list in ``Block``s, which are created on first use.
struct RuleSet: Sendable {
    /// Some of the stages.
    struct Stages: OptionSet, Sendable {
        let rawValue: UInt8

        init(rawValue: UInt8) { self.rawValue = rawValue }

        init(_ stage: RuleStage) { rawValue = 1 &<< UInt8(truncatingIfNeeded: stage.number) }
    }

    private var last: RuleNode?

    var isEmpty: Bool { last == nil }

    /// Adds a rule, which must not be in a set yet.
    mutating func add(_ rule: consuming Rule, to stage: RuleStage) {
        rule.link(after: last, as: stage)
        last = rule
    }

    /// Adds another set's rules as if they had been registered after these.
    mutating func append(_ later: RuleSet) {
        guard let laterLast = later.last else { return }
        last = last.map { RuleNode(of: laterLast, after: $0) } ?? laterLast
    }

    /// A stage's rules in the order of evaluation, last registered first.
    subscript(stage: RuleStage) -> [Rule] {
        defer { withExtendedLifetime(self) {} }
        return blocks.flatMap { block in block.read { $0[stage].map(\.rule.object) } }
    }

    /// The blocks in the order of evaluation; not retained.
    var blocks: BlockWalk { BlockWalk(from: last) }

    /// The path of blocks for dispatches; not retained, and as long-lived as the set.
    @inline(__always)
    var path: Borrowed<BlockPath> { unsafe last?.path ?? Borrowed(BlockPath.empty) }
}
