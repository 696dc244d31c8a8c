/// The blocks that an error goes through, one after the other: those of one handler, or of the handlers on the path of a
/// scope.
///
/// The blocks are not retained: the rule set that the path is made for holds them, or the scopes of the path do.
///
/// Unchecked, since the compiler cannot know that the memory does not change.
@safe final class BlockPath: @unchecked Sendable {
    static let empty = BlockPath(EmptyCollection())

    /// The number of blocks.
    let count: Int
    /// The stages in which any block has rules.
    let stages: RuleSet.Stages
    /// The stages in which any block has asynchronous rules.
    private let asynchronousStages: RuleSet.Stages
    /// The blocks in the order in which their rules are tried, which is that of `onNoMatch` rules too if those have no
    /// order of their own; else followed by the same blocks in that order.
    private let blocks: UnsafeMutablePointer<Borrowed<Block>>
    private let hasOwnOrder: Bool

    /// - Parameters:
    ///   - blocks: The blocks in the order in which their rules are tried.
    ///   - fallbacks: The same blocks in the order in which their `onNoMatch` rules are tried, if that is another.
    init(_ blocks: some Sequence<Borrowed<Block>>, fallbacks: [Borrowed<Block>] = []) {
        var (stages, asynchronousStages) = (RuleSet.Stages(), RuleSet.Stages())
        // Enough for a preset and what was added to it.
        var (count, capacity) = (0, 4)
        var places = UnsafeMutablePointer<Borrowed<Block>>.allocate(capacity: capacity)
        func add(_ block: Borrowed<Block>) {
            if count == capacity {
                let larger = UnsafeMutablePointer<Borrowed<Block>>.allocate(capacity: 2 * capacity)
                unsafe larger.moveInitialize(from: places, count: count)
                unsafe places.deallocate()
                unsafe (places, capacity) = unsafe (larger, 2 * capacity)
            }
            unsafe (places + count).initialize(to: block)
            count += 1
        }
        for block in blocks {
            add(block)
            block.read { block in
                stages |= block.stages
                asynchronousStages |= block.asynchronousStages
            }
        }
        (self.count, self.stages, self.asynchronousStages) = (count, stages, asynchronousStages)
        hasOwnOrder = !fallbacks.isEmpty
        fallbacks.forEach(add)
        unsafe self.blocks = unsafe places
    }

    deinit { unsafe blocks.deallocate() }

    /// A rule set on the path of a scope, and whether it is tried before all outer ones or after them.
    struct Member {
        let rules: RuleSet
        let isTriedFirst: Bool
    }

    /// - Parameter members: The rule sets from the innermost outwards; the caller holds them for as long as the path.
    convenience init(_ members: [Member]) {
        // `onNoMatch` rules are tried from the innermost scope outwards, whatever the order of the rules.
        let outwards = members.lazy.flatMap(\.rules.blocks)
        let last = members.reversed().filter { !$0.isTriedFirst }
        if last.isEmpty {
            self.init(outwards)
        } else {
            let inOrder = members.filter(\.isTriedFirst) + last
            self.init(inOrder.lazy.flatMap(\.rules.blocks), fallbacks: Array(outwards))
        }
    }

    /// Returns the block with a number in a stage.
    @inline(__always)
    func block(_ number: Int, _ stage: RuleSet.Stage) -> Borrowed<Block> {
        assert(0..<count ~= number)
        return unsafe blocks[stage == .onNoMatch && hasOwnOrder ? count + number : number]
    }

    /// Whether a stage has an asynchronous rule.
    @inline(__always)
    func hasAsynchronous(_ stage: RuleSet.Stage) -> Bool { asynchronousStages[stage.rawValue] > 0 }

    /// Whether an error could reach an asynchronous rule by its type.
    @inline(__always)
    func mayBeAsynchronous(for error: any Error) -> Bool {
        asynchronousStages == .zero ? false : mayReachAsynchronous(error)
    }

    @inline(never)
    private func mayReachAsynchronous(_ error: any Error) -> Bool {
        if hasAsynchronous(.always) { return true }
        func mayReach<Content: Error>(_ content: Content) -> Bool {
            if Content.self == (any Error).self { return mayReachAsynchronous(ErrorBox.unboxed(error)) }
            var alwaysMatches = false
            for number in 0..<count {
                let reach = block(number, .rules).read { $0.reach(of: content, error) }
                if reach.mayBeAsynchronous { return true }
                if reach.alwaysMatches { alwaysMatches = true }
            }
            return hasAsynchronous(.onNoMatch) && !alwaysMatches
        }
        return _openExistential(error, do: mayReach)
    }
}
