/// A first-in, first-out queue in a ring buffer.
struct FIFO<Element> {
    /// The ring; its size is zero or a power of two.
    private var slots: [Element?] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The oldest element.
    var first: Element? { isEmpty ? nil : slots[head] }

    /// The elements, oldest first.
    var elements: some Sequence<Element> {
        (0..<count).lazy.compactMap { slots[(head + $0) & (slots.count - 1)] }
    }

    /// Adds an element at the end.
    ///
    /// - Complexity: Amortized O(1): a full ring is replaced by a ring of twice the size.
    mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        slots[(head + count) & (slots.count - 1)] = element
        count += 1
    }

    /// Removes and returns the oldest element.
    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head].take()
        head = (head + 1) & (slots.count - 1)
        count -= 1
        // Free the memory that a flood of elements needed.
        if count == 0, slots.count > 1_024 { self = FIFO() }
        return element
    }

    private mutating func grow() {
        var larger = [Element?](repeating: nil, count: max(4, 2 * count))
        for index in 0..<count { larger[index] = slots[(head + index) & (slots.count - 1)] }
        (slots, head) = (larger, 0)
    }
}
