/// An array of fixed capacity that never moves its elements.
///
/// Unlike an `Array`, it can contain noncopyable elements, such as atomics. If the element's type is generic, reading
/// an element doesn't look up the array's type.
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

    /// Adds an element; the array must have room for it.
    mutating func append(_ element: consuming Element) {
        precondition(count < capacity)
        unsafe (memory + count).initialize(to: element)
        count += 1
    }

    /// The address of a position, which may be the end; valid as long as the array.
    @unsafe func address(_ position: Int) -> UnsafePointer<Element> { unsafe UnsafePointer(memory + position) }

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
