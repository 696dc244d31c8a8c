/// A directed graph.
struct DirectedGraph<Node: Hashable & Comparable> {
    private var successors: [Node: Set<Node>] = [:]

    mutating func connect(_ node: Node, to other: Node) {
        successors[node, default: []].insert(other)
    }

    /// The strongly connected components with a circle, the largest first.
    ///
    /// - Complexity: O(*n* · *m*) for *n* nodes and *m* connections, of which there are few.
    var circles: [Set<Node>] {
        let reachable = successors.mapValues { reach($0) }
        var circles: [Set<Node>] = []
        var done: Set<Node> = []
        for node in successors.keys.sorted() where !done.contains(node) {
            guard let ahead = reachable[node], ahead.contains(node) else { continue }
            let circle = ahead.filter { reachable[$0]?.contains(node) == true }
            done.formUnion(circle)
            circles.append(circle)
        }
        return circles.sorted { $0.count > $1.count }
    }

    /// Returns the nodes of a shortest circle through a node, beginning with that node; nil if there is none.
    func shortestCircle(through node: Node) -> [Node]? {
        var ways = [[node]]
        var seen: Set<Node> = []
        while !ways.isEmpty {
            var longer: [[Node]] = []
            for way in ways {
                for next in successors[way[way.count - 1], default: []].sorted() {
                    if next == node { return way }
                    if seen.insert(next).inserted { longer.append(way + [next]) }
                }
            }
            ways = longer
        }
        return nil
    }

    private func reach(_ nodes: Set<Node>) -> Set<Node> {
        var reached = nodes
        var open = Array(nodes)
        while let node = open.popLast() {
            for next in successors[node, default: []] where reached.insert(next).inserted { open.append(next) }
        }
        return reached
    }
}
