/// An error that is in only one existential box.
///
/// `any Error` is an existential box that contains an error, and it conforms to `Error` itself. Therefore code that is
/// generic over its error type (a continuation resumed with an error, a throwing stream, a function with typed throws)
/// might put a box into another box. `type(of:)` looks through all boxes, but opening an existential opens only the
/// outermost. Its content is then another `any Error`, and code that assumes the type returned by `type(of:)` reads the
/// wrong memory. Therefore every error is unboxed on entry to the library, and code that reads the content of a box
/// requires this type.
struct UnboxedError: Sendable {
    let error: any Error

    /// Unboxes an error, which makes no difference to clients.
    @inline(__always)
    init(_ error: consuming any Error) {
        self.error = Self.contentType(of: error) == (any Error).self ? Self.innermost(error) : error
    }

    /// Wraps an error that is known to be unboxed.
    @inline(__always)
    init(opened error: any Error) {
        assert(Self.contentType(of: error) != (any Error).self)
        self.error = error
    }

    /// Returns the static type of the box's content: the error's own type, a superclass of it, or `any Error`.
    @inline(__always)
    static func contentType(of error: any Error) -> Any.Type {
        func type<Content: Error>(_ content: Content) -> Any.Type { Content.self }
        // Open the box explicitly: `any Error` itself conforms to `Error`, so a plain call would pass the existential.
        return _openExistential(error, do: type)
    }

    /// Opens boxes until the content isn't a box.
    @inline(never)
    private static func innermost(_ error: any Error) -> any Error {
        // Cast at run time: a cast that the compiler resolves with the conformance would create another box.
        func cast<Content>(_ content: Content) -> (any Error)? { content as? any Error }
        func inner<Content: Error>(_ content: Content) -> (any Error)? {
            Content.self == (any Error).self ? cast(content) : nil
        }
        var error = error
        while let content = _openExistential(error, do: inner) { error = content }
        return error
    }

    /// Calls a closure with the content of the box as a type; returns nil if the content doesn't have that type.
    @inline(__always)
    func read<Wanted, Result>(as type: Wanted.Type, _ body: (Wanted) -> Result) -> Result? {
        func read<Content: Error>(_ content: Content) -> Result? { BoxContent.read(content, self, as: type, body) }
        // Open the box explicitly, as in `contentType(of:)`.
        return _openExistential(error, do: read)
    }

    /// Whether the content of the box has a type, so that ``readableContent(as:)`` returns it.
    func isReadable<Wanted>(as type: Wanted.Type) -> Bool {
        Self.contentType(of: error) == type || read(as: type) { _ in true } == true
    }

    /// Returns the content of the box as a type that the caller has just checked.
    @unsafe
    func readableContent<Wanted>(as type: Wanted.Type) -> Wanted {
        func content<Content: Error>(_ content: Content) -> Wanted {
            unsafe BoxContent.checked(content, self, as: type)
        }
        return _openExistential(error, do: content)
    }

    /// Returns the content of the box as a type, without a dynamic cast; nil if the content doesn't have that type.
    func content<Wanted>(as type: Wanted.Type) -> Wanted? { read(as: type) { $0 } }
}
