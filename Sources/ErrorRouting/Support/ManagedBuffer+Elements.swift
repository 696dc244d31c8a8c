/// Access to single elements; the buffer's subclass ensures that they are within its capacity.
extension ManagedBuffer {
    /// Returns an element that is initialized.
    @inline(__always)
    final func element(at position: Int) -> Element {
        unsafe withUnsafeMutablePointerToElements { unsafe $0[position] }
    }

    /// Initializes an element.
    @inline(__always)
    final func initializeElement(at position: Int, to element: Element) {
        unsafe withUnsafeMutablePointerToElements { unsafe ($0 + position).initialize(to: element) }
    }
}
