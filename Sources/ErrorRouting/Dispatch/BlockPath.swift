/// The blocks that an error goes through, one after the other: those of one handler or of the handlers on a scope's
/// path.
///
/// The blocks aren't retained: the path's rule set or its scopes retain them.
///
/// A path is one allocation, because a customized preset creates a path for one error. It doesn't change after its
/// creation.
@safe final class BlockPath: ManagedBuffer<BlockPath.Summary, Borrowed<Block>> {
    /// The summary of a path's blocks.
    struct Summary {
        /// The number of the last block; -1 if there is none.
        var last = -1
        /// The stages in which any block has rules, and those with asynchronous rules.
        var (stages, asynchronousStages) = (RuleSet.Stages(), RuleSet.Stages())
        /// Whether the blocks, in the order of evaluation, are followed by the same blocks in the order of their
        /// `onNoMatch` rules.
        var hasOwnOrder = false
    }

    // Unsafe for the compiler, because no `ManagedBuffer` is `Sendable`.
    nonisolated(unsafe) static let empty = make(EmptyCollection())

    /// - Parameters:
    ///   - blocks: The blocks in the order of evaluation.
    ///   - fallbacks: The same blocks in the order of their `onNoMatch` rules, if that order is different.
    static func make(_ blocks: some Sequence<Borrowed<Block>>, fallbacks: [Borrowed<Block>] = []) -> BlockPath {
        var (path, count, summary) = (withCapacity(4), 0, Summary())
        for block in blocks {
            add(block, to: &path, &count)
            block.read { block in
                summary.stages.formUnion(block.stages)
                summary.asynchronousStages.formUnion(block.asynchronousStages)
            }
        }
        (summary.last, summary.hasOwnOrder) = (count - 1, !fallbacks.isEmpty)
        for block in fallbacks { add(block, to: &path, &count) }
        unsafe path.withUnsafeMutablePointerToHeader { unsafe $0.pointee = summary }
        return path
    }

    private static func add(_ block: Borrowed<Block>, to path: inout BlockPath, _ count: inout Int) {
        // Reserve room for four blocks, which is enough for a preset with additions, then for eight, and so on.
        if count >= 4, count & (count - 1) == 0 {
            let larger = withCapacity(2 * count)
            for position in 0..<count { larger.initializeElement(at: position, to: path.element(at: position)) }
            path = larger
        }
        path.initializeElement(at: count, to: block)
        count += 1
    }

    private static func withCapacity(_ capacity: Int) -> BlockPath {
        unsafe unsafeDowncast(create(minimumCapacity: capacity) { _ in Summary() }, to: BlockPath.self)
    }

    /// The header, read without a check for exclusive access, because no code changes it.
    private var summary: Summary {
        @inline(__always) get { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee } }
    }

    /// A rule set on a scope's path.
    struct Member {
        let rules: RuleSet
        /// Whether the rules are tried before or after all outer ones.
        var isTriedFirst = true
        /// The path of the scope's names, for an explanation.
        var scope: [String] = []

        /// Returns members in the order in which the rules of a stage are tried.
        ///
        /// - Parameters:
        ///   - members: The members from the innermost outward.
        ///   - stage: The stage. `onNoMatch` rules are tried from the innermost scope outward, regardless of the order
        ///     of the rules.
        static func inOrder(_ members: [Member], of stage: RuleStage) -> [Member] {
            if stage == .onNoMatch { return members }
            return members.filter(\.isTriedFirst) + members.reversed().filter { !$0.isTriedFirst }
        }
    }

    /// - Parameter members: The rule sets from the innermost outward; the caller retains them as long as the path.
    static func make(_ members: [Member]) -> BlockPath {
        let outwards = members.lazy.flatMap(\.rules.blocks)
        if members.allSatisfy(\.isTriedFirst) { return make(outwards) }
        let inOrder = Member.inOrder(members, of: .rule)
        return make(inOrder.lazy.flatMap(\.rules.blocks), fallbacks: Array(outwards))
    }

    /// Returns the block with a number in a stage.
    @inline(__always)
    func block(_ number: Int, _ stage: RuleStage) -> Borrowed<Block> {
        assert(0..<count ~= number)
        let number = stage == .onNoMatch && summary.hasOwnOrder ? count + number : number
        return element(at: number)
    }

    /// The number of the last block; -1 if there is none.
    var last: Int { summary.last }

    /// The number of blocks.
    var count: Int { last + 1 }

    /// Whether a stage has a rule.
    @inline(__always)
    func hasRules(_ stage: RuleStage) -> Bool { summary.stages.contains(.init(stage)) }

    /// Whether a stage has an asynchronous rule.
    @inline(__always)
    func hasAsynchronous(_ stage: RuleStage) -> Bool { summary.asynchronousStages.contains(.init(stage)) }

    /// Whether an error could reach an asynchronous rule by its type.
    @inline(__always)
    func mayBeAsynchronous(for error: any Error) -> Bool {
        !summary.asynchronousStages.isEmpty && mayReachAsynchronous(error)
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
                if reach.alwaysMatches { alwaysMatches = true }
            }
            return hasAsynchronous(.onNoMatch) && !alwaysMatches
        }
        return _openExistential(error, do: mayReach)
    }
}
