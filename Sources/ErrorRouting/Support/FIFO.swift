/// A queue on a ring of slots: elements leave at the front, and the room they leave is used again.
struct FIFO<Element> {
    /// As many as a power of two, or none.
    private var slots: [Element?] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Adds an element at the end.
    ///
    /// Amortised O(1): where there is no room left, it is doubled.
    mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        slots[(head + count) & (slots.count - 1)] = element
        count += 1
    }

    /// Removes the oldest element.
    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head].take()
        head = (head + 1) & (slots.count - 1)
        count -= 1
        // What a storm has taken is given back.
        if count == 0, slots.count > 1_024 { self = FIFO() }
        return element
    }

    private mutating func grow() {
        var larger = Array(slots[head...] + slots[..<head])
        larger += [Element?](repeating: nil, count: max(4, count))
        (slots, head) = (larger, 0)
    }
}
