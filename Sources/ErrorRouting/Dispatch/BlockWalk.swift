/// The blocks of a set in the order of evaluation, not retained; the walk creates each block that doesn't exist yet.
struct BlockWalk: Sequence, IteratorProtocol {
    private var node: Borrowed<RuleNode>?
    /// The nodes below the entered sets; the node below the last set is stored by itself, because usually there is no
    /// other.
    private var (below, farBelow): (Borrowed<RuleNode>?, [Borrowed<RuleNode>]) = (nil, [])

    /// - Parameter last: The set's last node.
    init(from last: RuleNode?) { node = last.map(Borrowed.init) }

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
