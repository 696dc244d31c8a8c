/// Access to single elements; the buffer's subclass ensures that they are within its capacity.
extension ManagedBuffer {
    /// Returns an element that is initialized.
    @inline(__always)
    final func element(at place: Int) -> Element { unsafe withUnsafeMutablePointerToElements { unsafe $0[place] } }

    /// Initializes an element.
    @inline(__always)
    final func initializeElement(at place: Int, to element: Element) {
        unsafe withUnsafeMutablePointerToElements { unsafe ($0 + place).initialize(to: element) }
    }
}
