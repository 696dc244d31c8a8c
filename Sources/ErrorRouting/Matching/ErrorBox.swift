/// Removes the boxes within the box of an `any Error`.
///
/// `any Error` itself conforms to `Error`. Therefore code that is generic over its error type (a continuation resumed
/// with an error, a throwing stream, a function with typed throws) might put a box into a box. `type(of:)` looks
/// through all boxes, but opening an existential opens only one. Its content is then another `any Error`, and code that
/// assumes the type returned by `type(of:)` reads wrong memory. Therefore every error is unboxed on entry to the
/// library.
enum ErrorBox {
    /// Returns the error in only its innermost box; clients see no difference.
    @inline(__always)
    static func unboxed(_ error: consuming any Error) -> any Error {
        holdsBox(error) ? opened(error) : error
    }

    /// Whether an error's box contains another box.
    @inline(__always)
    static func holdsBox(_ error: any Error) -> Bool { contentType(of: error) == (any Error).self }

    /// Returns the static type of the box's content: the error's own type, a superclass of it, or `any Error`.
    @inline(__always)
    static func contentType(of error: any Error) -> Any.Type {
        func type<Content: Error>(_ content: Content) -> Any.Type { Content.self }
        // Open it explicitly: `any Error` itself conforms to `Error`, so a plain call would pass the existential.
        return _openExistential(error, do: type)
    }

    /// Opens boxes until the content isn't a box.
    @inline(never)
    private static func opened(_ error: any Error) -> any Error {
        func inner<Content: Error>(_ content: Content) -> (any Error)? {
            Content.self == (any Error).self ? cast(content) : nil
        }
        var error = error
        while let content = _openExistential(error, do: inner) { error = content }
        return error
    }

    /// Casts at run time; a cast that the compiler resolves with the conformance would create another box.
    private static func cast<Content>(_ content: Content) -> (any Error)? { content as? any Error }
}
