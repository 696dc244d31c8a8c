/// What came in whole, counted, and not listed: it stays as small as it is after ten thousand requests.
struct RequestCounts: Sendable {
    struct Key: Hashable {
        let method: String
        let path: String
        let id: String
        // Whether another request had come on the connection before.
        let isOnKeptConnection: Bool
    }

    private var counts: [Key: Int] = [:]

    mutating func add(_ key: Key) {
        counts[key, default: 0] += 1
    }

    func sum(where condition: (Key) -> Bool) -> Int {
        counts.reduce(0) { condition($1.key) ? $0 + $1.value : $0 }
    }
}
