/// Access to single elements; the buffer's subclass ensures that positions are within the capacity.
extension ManagedBuffer {
    /// Returns the element at a position, which must be initialized.
    @inline(__always)
    final func element(at position: Int) -> Element {
        unsafe withUnsafeMutablePointerToElements { unsafe $0[position] }
    }

    /// Initializes the element at a position, which must be uninitialized.
    @inline(__always)
    final func initializeElement(at position: Int, to element: Element) {
        unsafe withUnsafeMutablePointerToElements { unsafe ($0 + position).initialize(to: element) }
    }
}
