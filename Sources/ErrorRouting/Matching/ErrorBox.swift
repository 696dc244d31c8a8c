/// What an `any Error` holds, however often it was boxed on its way.
///
/// `any Error` conforms to `Error` itself, so code that is generic over its error type (a continuation that is resumed
/// with an error, a throwing stream, a function with typed throws) may put a box into a box. `type(of:)` looks through
/// all of them, but opening an existential opens only one: the value in there is then another `any Error`, and whoever
/// takes it for what `type(of:)` said reads memory that is something else. So every error is unboxed where it comes in.
enum ErrorBox {
    /// The error in its innermost box: the same error, which is all that a client can tell.
    @inline(__always)
    static func unboxed(_ error: consuming any Error) -> any Error {
        holdsBox(error) ? opened(error) : error
    }

    /// Whether there is another box in this one.
    @inline(__always)
    static func holdsBox(_ error: any Error) -> Bool { contentType(of: error) == (any Error).self }

    /// The type of what is in the box: the error's own, a class that it inherits from, or `any Error`.
    @inline(__always)
    static func contentType(of error: any Error) -> Any.Type {
        func type<Content: Error>(_ content: Content) -> Any.Type { Content.self }
        // Opened explicitly: `any Error` conforms to `Error` itself, so a plain call would pass the existential.
        return _openExistential(error, do: type)
    }

    /// Opens boxes until the content is no box any more.
    @inline(never)
    private static func opened(_ error: any Error) -> any Error {
        func inner<Content: Error>(_ content: Content) -> (any Error)? {
            Content.self == (any Error).self ? cast(content) : nil
        }
        var error = error
        while let content = _openExistential(error, do: inner) { error = content }
        return error
    }

    /// Casts at run time, where the compiler, knowing of the conformance, would make another box.
    private static func cast<Content>(_ content: Content) -> (any Error)? { content as? any Error }
}
