/// An error in only its innermost box (``ErrorBox``), as code that reads the content of boxes accepts it.
///
/// It is made at the library's doors, where a dispatch or a matcher opens the error.
struct UnboxedError: Sendable {
    let error: any Error

    /// Unboxes an error.
    init(_ error: any Error) { self.error = ErrorBox.unboxed(error) }

    /// Marks an error whose box was opened.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - contentType: The static type of its box's content, which isn't `any Error`.
    @inline(__always)
    init(_ error: any Error, opened contentType: Any.Type) {
        assert(contentType != (any Error).self)
        self.error = error
    }

    /// Marks an error that a rule's predicate receives: it comes from a dispatch or a matcher, which unboxed it.
    @inline(__always)
    init(receivedByPredicate error: any Error) {
        assert(!ErrorBox.holdsBox(error))
        self.error = error
    }
}
