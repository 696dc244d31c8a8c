/// An error in its innermost box only, without outer boxes (``ErrorBox``).
///
/// Code that reads the content of a box requires this type.
/// A dispatch or a matcher creates it when it opens the error's boxes.
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
