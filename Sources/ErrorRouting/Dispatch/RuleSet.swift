import Synchronization

/// The rules of one handler or map.
///
/// A value that refers to the last node of a list: adding a rule, or another set on top, adds one node and shares the
/// rest. Dispatches read the list in ``Block``s, which are created on first use.
struct RuleSet: Sendable {
    /// The lists of rules, in the order of a dispatch.
    enum Stage: Int, Sendable, Hashable, CaseIterable {
        case rules, onNoMatch, always
    }

    /// Some of the stages.
    struct Stages: OptionSet, Sendable {
        let rawValue: UInt8

        init(rawValue: UInt8) { self.rawValue = rawValue }

        init(_ stage: Stage) { rawValue = 1 &<< UInt8(truncatingIfNeeded: stage.rawValue) }
    }

    private var last: RuleNode?

    var isEmpty: Bool { last == nil }

    /// Adds a rule, which must not be in a set yet.
    mutating func add(_ rule: consuming Rule, to stage: Stage) {
        rule.link(after: last, as: stage)
        last = rule
    }

    /// Adds another set's rules as if they had been registered after these.
    mutating func append(_ later: RuleSet) {
        guard let laterLast = later.last else { return }
        last = last.map { RuleNode(of: laterLast, after: $0) } ?? laterLast
    }

    /// A stage's rules in the order of evaluation, last registered first.
    subscript(stage: Stage) -> [Rule] {
        defer { withExtendedLifetime(self) {} }
        return blocks.flatMap { block in block.read { $0[stage].map(\.rule.object) } }
    }

    /// The blocks in the order of evaluation; not retained.
    var blocks: BlockWalk { BlockWalk(from: last) }

    /// The path of blocks for dispatches; not retained, and as long-lived as the set.
    @inline(__always)
    var path: Borrowed<BlockPath> { unsafe last?.path ?? Borrowed(BlockPath.empty) }
}

/// A link in the list of registrations: a rule, or all the rules of another set.
///
/// Unchecked because of the links, which are set before a node is shared and change only while the list is deallocated.
@usableFromInline
class RuleNode: @unchecked Sendable {
    fileprivate private(set) final var previous: RuleNode?
    /// The last node of the set, if this is the node of a set.
    fileprivate private(set) final var set: RuleNode?
    /// The rule's stage; nil for the node of a set.
    private final var stage: RuleSet.Stage?
    /// The number of rules added directly after this one, up to two.
    private final let successors = Atomic<UInt8>(0)
    /// The block that begins with this rule, created on first use.
    private final let madeBlock = SetOnce<Block>()
    /// The path of the set that ends with this node, created on first use.
    private final let madePath = SetOnce<BlockPath>()

    /// Creates the node of a rule, which is linked later.
    init() {}

    /// Creates the node of a set from the set's last node.
    fileprivate init(of set: RuleNode, after previous: RuleNode) { (self.set, self.previous) = (set, previous) }

    /// Links a rule's new node to those before it.
    fileprivate final func link(after previous: RuleNode?, as stage: RuleSet.Stage) {
        precondition(self.previous == nil && self.stage == nil, "a rule is in one set only")
        self.previous = previous
        self.stage = stage
        guard let previous, previous.successors.load(ordering: .relaxed) < 2 else { return }
        previous.successors.wrappingAdd(1, ordering: .relaxed)
    }

    deinit {
        if previous == nil, set == nil { return }
        // Release node by node: releasing a list of thousands of rules, or thousands of nested sets, would otherwise
        // recurse as deep.
        var sets: [RuleNode] = []
        var next = takeLinks(&sets) ?? sets.popLast()
        while next != nil {
            if isKnownUniquelyReferenced(&next) { next = next?.takeLinks(&sets) } else { next = nil }
            if next == nil { next = sets.popLast() }
        }
    }

    /// Takes the links of a node during its deallocation; returns the previous node and adds a set's last node to
    /// `sets`.
    private func takeLinks(_ sets: inout [RuleNode]) -> RuleNode? {
        if let set = set.take() { sets.append(set) }
        return previous.take()
    }

    // MARK: Blocks

    @inline(__always)
    fileprivate final var path: Borrowed<BlockPath> { madePath.borrowed ?? firstPath() }

    @inline(never)
    private final func firstPath() -> Borrowed<BlockPath> { madePath.set(.make(BlockWalk(from: self))) }

    /// The block that begins with this rule, created now unless it exists.
    fileprivate final var block: Borrowed<Block> { madeBlock.borrowed ?? madeBlock.set(Block(from: self)) }

    /// Returns the node that begins the next block, if a block begins with this rule.
    ///
    /// A block ends before the rules of another set. It ends before a rule to which several others were added, such as
    /// a preset's last rule. It also ends before a rule that already begins a larger block. A smaller block is read
    /// together with the rules above it, because a handler that is used after each added rule must not have as many
    /// blocks as rules.
    final var endOfBlock: Borrowed<RuleNode>? {
        var (node, count) = (Borrowed(self), 1)
        while let previous = node.read({ $0.previous.map(Borrowed.init) }) {
            let isEnd = previous.read { previous in
                guard previous.stage != nil, previous.successors.load(ordering: .relaxed) < 2 else { return true }
                return previous.madeBlock.borrowed?.read { !$0.isBetterRead(withLater: count) } ?? false
            }
            if isEnd { return previous }
            (node, count) = (previous, count + 1)
        }
        return nil
    }

    /// Calls a closure with each rule from this one to the end of the block, last registered first.
    final func forEachRule(before end: Borrowed<RuleNode>?, _ body: (Rule, RuleSet.Stage) -> Void) {
        var next: Borrowed<RuleNode>? = Borrowed(self)
        while let node = next, node.address != end?.address {
            next = node.read { node in
                guard let stage = node.stage else { preconditionFailure("a block has no rules of two sets") }
                body(unsafe unsafeDowncast(node, to: Rule.self), stage)
                return node.previous.map(Borrowed.init)
            }
        }
    }
}

/// The blocks of a set in the order of evaluation, not retained; the walk creates each block that doesn't exist yet.
struct BlockWalk: Sequence, IteratorProtocol {
    private var node: Borrowed<RuleNode>?
    /// The nodes below the entered sets; the node below the last set is stored by itself, because usually there is no
    /// other.
    private var (below, farBelow): (Borrowed<RuleNode>?, [Borrowed<RuleNode>]) = (nil, [])

    /// - Parameter last: The set's last node.
    fileprivate init(from last: RuleNode?) { node = last.map(Borrowed.init) }

    mutating func next() -> Borrowed<Block>? {
        while true {
            if node == nil { (node, below) = (below, farBelow.popLast()) }
            guard let node else { return nil }
            let (set, previous) = node.read { ($0.set.map(Borrowed.init), $0.previous.map(Borrowed.init)) }
            guard let set else {
                let block = node.read { $0.block }
                self.node = block.read { $0.below }
                return block
            }
            // The set counts as registered after the nodes before this one, so its rules come first.
            if let below { farBelow.append(below) }
            (self.node, below) = (set, previous)
        }
    }
}
