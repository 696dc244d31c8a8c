import Synchronization

/// A link in the list of registrations: a rule, or all the rules of another set.
///
/// Unchecked because of the links, which are set before a node is shared and change only while the list is deallocated.
@usableFromInline
class RuleNode: @unchecked Sendable {
    private(set) final var previous: RuleNode?
    /// The last node of the set, if this is the node of a set.
    private(set) final var set: RuleNode?
    /// The rule's stage; nil for the node of a set.
    private final var stage: RuleStage?
    /// The number of rules added directly after this one, up to two.
    private final let successors = Atomic<UInt8>(0)
    /// The block that begins with this rule, created on first use.
    private final let madeBlock = SetOnce<Block>()
    /// The path of the set that ends with this node, created on first use.
    private final let madePath = SetOnce<BlockPath>()

    /// Creates the node of a rule, which is linked later.
    init() {}

    /// Creates the node of a set from the set's last node.
    init(of set: RuleNode, after previous: RuleNode) { (self.set, self.previous) = (set, previous) }

    /// Links a rule's new node to those before it.
    final func link(after previous: RuleNode?, as stage: RuleStage) {
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
    final var path: Borrowed<BlockPath> { madePath.borrowed ?? firstPath() }

    @inline(never)
    private final func firstPath() -> Borrowed<BlockPath> { madePath.set(.make(BlockWalk(from: self))) }

    /// The block that begins with this rule, created now unless it exists.
    final var block: Borrowed<Block> { madeBlock.borrowed ?? madeBlock.set(Block(from: self)) }

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
    final func forEachRule(before end: Borrowed<RuleNode>?, _ body: (Rule, RuleStage) -> Void) {
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
