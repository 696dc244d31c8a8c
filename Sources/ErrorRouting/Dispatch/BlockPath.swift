/// The blocks that an error passes through in order: the blocks of one handler, or of all handlers on a scope's path.
final class BlockPath: Sendable {
    /// The number of blocks.
    let count: Int
    /// The stages of all blocks.
    private let stages: RuleSet.Stages
    /// The blocks in the order of evaluation and, if it differs, in the order of their `onNoMatch` rules.
    private let stored: [Block]
    /// The position of the first block in the order of the `onNoMatch` rules.
    ///
    /// It is 0 if that order is the order of evaluation. Otherwise, the blocks are stored a second time in that order,
    /// so it is the number of blocks.
    private let firstFallback: Int

    static let empty = BlockPath([])

    /// Creates a path of blocks in the order of evaluation.
    ///
    /// If the path has its own order of fallbacks, the same blocks follow in the order of their `onNoMatch` rules.
    init(_ blocks: [Block], hasOwnFallbacks: Bool = false) {
        firstFallback = hasOwnFallbacks ? blocks.count / 2 : 0
        count = blocks.count - firstFallback
        stages = blocks.reduce(into: []) { $0.formUnion($1.stages) }
        stored = blocks
    }

    /// The maximum number of blocks in a path that is built from two handlers' paths.
    private static let mostBlocks = 16

    /// Creates a path of one handler's blocks and then another handler's blocks.
    ///
    /// The new path shares the blocks. If there are more than ``mostBlocks``, the smallest neighbors are merged into
    /// one block. Without that limit, each of thousands of overlays would copy the references to all blocks of the
    /// others.
    convenience init(_ upper: BlockPath, on lower: BlockPath) {
        var blocks = upper.blocks + lower.blocks
        while blocks.count > Self.mostBlocks {
            let sizes = zip(blocks, blocks.dropFirst()).map { $0.rules.count + $1.rules.count }
            guard let first = sizes.indices.min(by: { sizes[$0] < sizes[$1] }) else { break }
            blocks.merge(first)
        }
        self.init(blocks)
    }

    /// Creates the path of a scope, given the rule sets from the innermost outward.
    convenience init(_ members: [Member]) {
        let hasOneOrder = members.allSatisfy(\.isTriedFirst)
        let ordered = hasOneOrder ? members : Member.inOrder(members, of: .rule) + members
        self.init(ordered.flatMap { $0.rules.path.read(\.blocks) }, hasOwnFallbacks: !hasOneOrder)
    }

    /// The blocks in the order of evaluation.
    var blocks: [Block] { firstFallback == 0 ? stored : Array(stored[..<firstFallback]) }

    /// A rule set on a scope's path.
    struct Member {
        let rules: RuleSet
        /// Whether the rules are tried before all outer rules; if not, they are tried after them.
        var isTriedFirst = true
        /// The names of the enclosing scopes, for an explanation.
        var scope: [String] = []

        /// Returns members, given from the innermost outward, in the order in which the rules of a stage are tried.
        ///
        /// The `onNoMatch` rules are tried from the innermost scope outward, regardless of the order of other rules.
        static func inOrder(_ members: [Member], of stage: RuleStage) -> [Member] {
            if stage == .onNoMatch { return members }
            return members.filter(\.isTriedFirst) + members.reversed().filter { !$0.isTriedFirst }
        }
    }

    /// Returns the block with a given number in the order of a stage.
    @inline(__always)
    func block(_ number: Int, _ stage: RuleStage) -> Borrowed<Block> {
        assert(0..<count ~= number)
        // Don't check the array's bounds again: that costs 3 % of a dispatch.
        let position = stage == .onNoMatch ? firstFallback + number : number
        return unsafe stored.withUnsafeBufferPointer { unsafe Borrowed($0[position]) }
    }

    /// Whether a stage has a rule.
    @inline(__always)
    func hasRules(_ stage: RuleStage) -> Bool { stages.contains(.init(stage)) }

    /// Whether a stage has an asynchronous rule.
    @inline(__always)
    func hasAsynchronous(_ stage: RuleStage) -> Bool { stages.contains(.init(stage, isAsynchronous: true)) }

    /// Whether an error of this type could reach an asynchronous rule.
    @inline(__always)
    func mayBeAsynchronous(for error: any Error) -> Bool {
        !stages.isDisjoint(with: .asynchronous) && mayReachAsynchronous(error)
    }

    @inline(never)
    private func mayReachAsynchronous(_ error: any Error) -> Bool {
        if hasAsynchronous(.always) { return true }
        func mayReach<Content: Error>(_ content: Content) -> Bool {
            if Content.self == (any Error).self { return mayReachAsynchronous(UnboxedError(error).error) }
            var likelihood = Likelihood.never
            for number in 0..<count {
                let reach = block(number, .rule).read { $0.reach(of: content, UnboxedError(opened: error)) }
                if reach.mayBeAsynchronous { return true }
                likelihood = max(likelihood, reach.likelihood)
            }
            // At the nesting limit for user code, matchers can't be called.
            return hasAsynchronous(.onNoMatch) && likelihood < (PerThread.isAtLimit ? .certain : .always)
        }
        return _openExistential(error, do: mayReach)
    }
}
