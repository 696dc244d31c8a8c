/// An error that is in only one existential box.
///
/// `any Error` is an existential box that contains an error, and it conforms to `Error` itself. Therefore code that is
/// generic over its error type (a continuation resumed with an error, a throwing stream, a function with typed throws)
/// might put a box into another box. `type(of:)` looks through all boxes, but opening an existential opens only the
/// outermost. Its content is then another `any Error`, and code that assumes the type returned by `type(of:)` reads the
/// wrong memory. Therefore every error is unboxed on entry to the library, and only this type reads the content of a
/// box.
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
}

/// Reads the content of the box as another type.
///
/// This is the only code that reads memory as a type other than the declared type. It compares the types itself, so the
/// match fails if a type is wrong, regardless of what the caller has found out about the error.
extension UnboxedError {
    /// Calls a closure with the box's content as a type; returns nil if the content doesn't have that type.
    ///
    /// The type is the content's own type, a superclass of it, or `any Error`. The caller has opened this error's box.
    /// This function takes a closure so that generic callers needn't look up an optional type.
    @inline(__always)
    func read<Content: Error, Wanted, Result>(
        _ content: Content, as type: Wanted.Type, _ body: (Wanted) throws -> Result
    ) rethrows -> Result? {
        if Content.self == Wanted.self { return try body(unsafe unsafeBitCast(content, to: type)) }
        // Coerce the error: a generic function that is called with `any Error` might receive the content of its box.
        if Wanted.self == (any Error).self { return try body(unsafe unsafeBitCast(error as any Error, to: type)) }
        return try Self.readObject(content, as: type, body)
    }

    @inline(never)
    private static func readObject<Content: Error, Wanted, Result>(
        _ content: Content, as type: Wanted.Type, _ body: (Wanted) throws -> Result
    ) rethrows -> Result? {
        // Check for a class first: the metatype of an error that conforms to a protocol also is that protocol's `Type`.
        guard Wanted.self is AnyClass, dynamicClass(of: content) is Wanted.Type else { return nil }
        return try body(unsafe unsafeBitCast(content, to: type))
    }

    /// Returns the class of an object; nil for content that isn't an object.
    @inline(__always)
    static func dynamicClass<Content: Error>(of content: Content) -> AnyClass? {
        guard Content.self is AnyClass else { return nil }
        // Cast to `AnyObject`: the runtime takes longer to return the type of a generic value.
        return Swift.type(of: unsafe unsafeBitCast(content, to: AnyObject.self))
    }

    /// Calls a closure with the box's content as a type; returns nil if the content doesn't have that type.
    @inline(__always)
    func read<Wanted, Result>(as type: Wanted.Type, _ body: (Wanted) -> Result) -> Result? {
        func read<Content: Error>(_ content: Content) -> Result? { self.read(content, as: type, body) }
        // Open the box explicitly, as in `contentType(of:)`.
        return _openExistential(error, do: read)
    }

    /// Returns the box's content as a type, without a dynamic cast; nil if the content doesn't have that type.
    func content<Wanted>(as type: Wanted.Type) -> Wanted? { read(as: type) { $0 } }

    /// Whether the box's content has a type, so that ``readableContent(as:)`` returns it.
    func isReadable<Wanted>(as type: Wanted.Type) -> Bool {
        Self.contentType(of: error) == type || read(as: type) { _ in true } == true
    }

    /// Returns the box's content as a type that the caller has just checked.
    @unsafe
    func readableContent<Wanted>(as type: Wanted.Type) -> Wanted {
        func content<Content: Error>(_ content: Content) -> Wanted {
            if Wanted.self == (any Error).self { return unsafe unsafeBitCast(error as any Error, to: type) }
            return unsafe unsafeBitCast(content, to: type)
        }
        return _openExistential(error, do: content)
    }
}
