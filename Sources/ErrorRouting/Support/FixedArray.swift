/// Elements in memory of a fixed capacity, which stay at their addresses.
///
/// Unlike an array, it can contain noncopyable elements, such as atomics, and reading an element of a generic type
/// doesn't look up the array's type.
@safe struct FixedArray<Element: ~Copyable>: ~Copyable {
    private let memory: UnsafeMutablePointer<Element>
    private let capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        unsafe memory = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit {
        unsafe memory.deinitialize(count: count)
        unsafe memory.deallocate()
    }

    /// Adds an element; there must be room for it.
    mutating func append(_ element: consuming Element) {
        precondition(count < capacity)
        unsafe (memory + count).initialize(to: element)
        count += 1
    }

    subscript(position: Int) -> Element {
        @inline(__always) unsafeAddress {
            assert(0..<count ~= position)
            return unsafe UnsafePointer(memory + position)
        }
        // Swift 6.2 needs this accessor: without it, reading a property of a noncopyable element consumes the element.
        @inline(__always) nonmutating unsafeMutableAddress {
            assert(0..<count ~= position)
            return unsafe memory + position
        }
    }
}
