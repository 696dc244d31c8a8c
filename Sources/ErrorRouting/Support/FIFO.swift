/// A queue on an array: elements leave at the front, and the room they leave is used again.
struct FIFO<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { elements.count == head }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Removes the oldest element.
    ///
    /// Amortised O(1): the front is cut off when it is the larger half.
    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head].take()
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: elements.capacity <= 1_024)
            head = 0
        } else if head >= 64, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }
}
