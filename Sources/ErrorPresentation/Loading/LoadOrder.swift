/// The loads under way, in the order in which they began: a plain value.
///
/// Any load can be removed in constant time, since each is linked to the one before it and the one after it.
struct LoadOrder {
    private struct Links {
        /// The number of the load that began before; 0 for none.
        var before: UInt64
        /// The number of the load that began after; 0 for none.
        var after: UInt64 = 0
    }

    private var links: [UInt64: Links] = [:]
    /// The number of the load that began last; nil if none is under way.
    private(set) var newest: UInt64?

    /// How many loads are under way.
    var count: Int { links.count }

    /// Returns whether a load is under way.
    func contains(_ number: UInt64) -> Bool { links[number] != nil }

    /// Adds a load, which has begun after all others.
    ///
    /// - Parameter number: Its number; greater than any before, and than 0.
    mutating func append(_ number: UInt64) {
        if let newest { links[newest]?.after = number }
        links[number] = Links(before: newest ?? 0)
        newest = number
    }

    /// Removes a load.
    mutating func remove(_ number: UInt64) {
        guard let removed = links.removeValue(forKey: number) else { return }
        links[removed.before]?.after = removed.after
        links[removed.after]?.before = removed.before
        if newest == number { newest = removed.before == 0 ? nil : removed.before }
    }

    /// Removes a load and all that began before it.
    ///
    /// - Complexity: O(number of removed loads).
    mutating func removeAll(upTo number: UInt64) {
        var next = number
        while let links = links[next] {
            remove(next)
            next = links.before
        }
    }

    /// Removes all loads.
    mutating func removeAll() {
        self = LoadOrder()
    }
}
