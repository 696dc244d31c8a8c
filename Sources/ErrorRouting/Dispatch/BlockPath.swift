/// The blocks that an error passes through in order: the blocks of one handler, or of all handlers on a scope's path.
///
/// `@unchecked` because of the blocks' memory, which doesn't change.
@safe final class BlockPath: @unchecked Sendable {
    /// The number of the last block; -1 if the path is empty.
    let last: Int
    /// The stages in which any block has rules, and the stages in which any block has asynchronous rules.
    private let (stages, asynchronousStages): (RuleSet.Stages, RuleSet.Stages)
    private let memory: FixedArray<Block>
    /// The position of the first block in the order of the `onNoMatch` rules.
    ///
    /// It is 0 if that order is the order of evaluation. Otherwise, the blocks are stored a second time in that order,
    /// so it is the number of blocks.
    private let firstFallback: Int

    static let empty = BlockPath(count: 0) { _ in preconditionFailure("there are no blocks") }

    /// Creates a path from a function that returns the block at a position.
    ///
    /// If the path has its own order of fallbacks, the same blocks follow in the order of their `onNoMatch` rules.
    @inline(__always)
    private init(count: Int, hasOwnFallbacks: Bool = false, _ block: (Int) -> Borrowed<Block>) {
        (last, firstFallback) = (count - 1, hasOwnFallbacks ? count : 0)
        var memory = FixedArray<Block>(capacity: firstFallback + count)
        var (stages, asynchronousStages) = (RuleSet.Stages(), RuleSet.Stages())
        for position in 0..<firstFallback + count {
            let block = block(position).object
            stages.formUnion(block.stages)
            asynchronousStages.formUnion(block.asynchronousStages)
            memory.append(block)
        }
        (self.stages, self.asynchronousStages) = (stages, asynchronousStages)
        self.memory = memory
    }

    /// Returns a path of a block and another path's blocks, except for the first `copied` blocks of that path.
    static func make(_ block: Block, on path: BlockPath?, after copied: Int) -> BlockPath {
        BlockPath(count: 1 + (path?.count ?? 0) - copied) { position in
            guard position > 0, let path else { return Borrowed(block) }
            return path.block(position - 1 + copied, .rule)
        }
    }

    /// The maximum number of blocks in a path that is built from two handlers' paths.
    private static let mostBlocks = 16

    /// Returns a path of one handler's blocks and then another handler's blocks.
    ///
    /// The new path shares the blocks. If there are more than ``mostBlocks``, the smallest neighbors are merged into
    /// one block. Without that limit, each of thousands of overlays would copy the references to all blocks of the
    /// others.
    static func make(_ upper: BlockPath, on lower: BlockPath) -> BlockPath {
        var blocks = upper.blocks + lower.blocks
        while blocks.count > mostBlocks {
            let sizes = zip(blocks, blocks.dropFirst()).map { $0.count + $1.count }
            guard let first = sizes.indices.min(by: { sizes[$0] < sizes[$1] }) else { break }
            let neighbors = blocks[first...first + 1]
            let block = Block(count: sizes[first]) { body in for block in neighbors { block.forEachRule(body) } }
            blocks.replaceSubrange(first...first + 1, with: [block])
        }
        defer { withExtendedLifetime(blocks) {} }
        return BlockPath(count: blocks.count) { Borrowed(blocks[$0]) }
    }

    /// The blocks in the order of evaluation.
    private var blocks: [Block] { (0..<count).map { memory[$0] } }

    /// Returns the path of a scope, given the rule sets from the innermost outward.
    static func make(_ members: [Member]) -> BlockPath {
        // Don't collect the blocks in arrays: many scopes are created for one request, and thus for one error.
        let hasOneOrder = members.allSatisfy(\.isTriedFirst)
        let ordered = hasOneOrder ? members : Member.inOrder(members, of: .rule) + members
        var (member, number) = (0, 0)
        return BlockPath(count: members.reduce(0) { $0 + $1.blockCount }, hasOwnFallbacks: !hasOneOrder) { _ in
            while number == ordered[member].blockCount { (member, number) = (member + 1, 0) }
            defer { number += 1 }
            return ordered[member].rules.path.read { $0.block(number, .rule) }
        }
    }

    /// A rule set on a scope's path.
    struct Member {
        let rules: RuleSet
        /// Whether the rules are tried before all outer rules; if not, they are tried after them.
        var isTriedFirst = true
        /// The names of the enclosing scopes, for an explanation.
        var scope: [String] = []

        /// The number of blocks of the rules.
        var blockCount: Int { rules.path.read(\.count) }

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
        return Borrowed(memory[stage == .onNoMatch ? firstFallback + number : number])
    }

    /// The number of blocks.
    var count: Int { last + 1 }

    /// Whether a stage has a rule.
    @inline(__always)
    func hasRules(_ stage: RuleStage) -> Bool { stages.contains(.init(stage)) }

    /// Whether a stage has an asynchronous rule.
    @inline(__always)
    func hasAsynchronous(_ stage: RuleStage) -> Bool { asynchronousStages.contains(.init(stage)) }

    /// Whether an error of this type could reach an asynchronous rule.
    @inline(__always)
    func mayBeAsynchronous(for error: any Error) -> Bool {
        !asynchronousStages.isEmpty && mayReachAsynchronous(error)
    }

    @inline(never)
    private func mayReachAsynchronous(_ error: any Error) -> Bool {
        if hasAsynchronous(.always) { return true }
        func mayReach<Content: Error>(_ content: Content) -> Bool {
            if Content.self == (any Error).self { return mayReachAsynchronous(UnboxedError(error).error) }
            var alwaysMatches = false
            for number in 0..<count {
                let reach = block(number, .rule).read {
                    $0.reach(of: content, UnboxedError(opened: error))
                }
                if reach.mayBeAsynchronous { return true }
                // At the nesting limit for user code, matchers can't be called.
                if PerThread.isAtLimit ? reach.isCertain : reach.alwaysMatches { alwaysMatches = true }
            }
            return hasAsynchronous(.onNoMatch) && !alwaysMatches
        }
        return _openExistential(error, do: mayReach)
    }
}
