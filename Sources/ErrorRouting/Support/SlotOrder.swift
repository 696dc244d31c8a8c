/// An order of numbered slots: a doubly linked list, in which a slot is moved or removed in O(1).
struct SlotOrder {
    /// The neighbours of a slot; -1 for none.
    private struct Links {
        var previous = -1
        var next = -1
    }

    private var links: [Links] = []
    /// The last slot as `previous`, and the first slot as `next`.
    private var ends = Links()

    /// The first slot; nil if there is none.
    var first: Int? { ends.next < 0 ? nil : ends.next }

    /// Adds a slot that is not in the order at its end.
    mutating func append(_ slot: Int) {
        while links.count <= slot { links.append(Links()) }
        links[slot] = Links(previous: ends.previous)
        if ends.previous < 0 { ends.next = slot } else { links[ends.previous].next = slot }
        ends.previous = slot
    }

    /// Removes a slot that is in the order.
    mutating func remove(_ slot: Int) {
        let (previous, next) = (links[slot].previous, links[slot].next)
        if previous < 0 { ends.next = next } else { links[previous].next = next }
        if next < 0 { ends.previous = previous } else { links[next].previous = previous }
    }

    /// Moves a slot that is in the order to its end.
    mutating func moveToEnd(_ slot: Int) {
        if slot == ends.previous { return }
        remove(slot)
        append(slot)
    }
}
