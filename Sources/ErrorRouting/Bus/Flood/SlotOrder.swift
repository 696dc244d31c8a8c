/// An order of numbered slots: a doubly linked list, in which a slot is moved or taken out in O(1).
struct SlotOrder {
    private struct Links {
        var previous: Int?
        var next: Int?
    }

    private var links: [Links] = []
    private(set) var first: Int?
    private var last: Int?

    /// Puts a slot that is not in the order at its end.
    mutating func append(_ slot: Int) {
        while links.count <= slot { links.append(Links()) }
        links[slot] = Links(previous: last, next: nil)
        if let last { links[last].next = slot } else { first = slot }
        last = slot
    }

    /// Takes a slot out that is in the order.
    mutating func remove(_ slot: Int) {
        let removed = links[slot]
        if let previous = removed.previous { links[previous].next = removed.next } else { first = removed.next }
        if let next = removed.next { links[next].previous = removed.previous } else { last = removed.previous }
    }
}
