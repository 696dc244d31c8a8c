/// Reads the content of an error's existential box as another type.
///
/// An existential box is the memory in which `any Error` stores a value of a concrete type. This is the only code that
/// reads memory as a type other than the declared type. It compares the types itself, so the match fails if a type is
/// wrong, regardless of what the caller has found out about the error.
enum BoxContent {
    /// Calls a closure with the content of an error's box as a type; returns nil if the content doesn't have that type.
    ///
    /// The type is the content's own type, a superclass of it, or `any Error`. This function takes a closure so that
    /// generic callers needn't look up an optional type.
    @inline(__always)
    static func read<Content: Error, Wanted, Result>(
        _ content: Content, _ error: UnboxedError, as type: Wanted.Type, _ body: (Wanted) throws -> Result
    ) rethrows -> Result? {
        if Content.self == Wanted.self { return try body(unsafe unsafeBitCast(content, to: type)) }
        // Coerce the error: a generic function that is called with `any Error` might receive the content of its box.
        if Wanted.self == (any Error).self { return try body(unsafe unsafeBitCast(error.error as any Error, to: type)) }
        return try readObject(content, as: type, body)
    }

    /// Returns the content of an error's box as a type that the caller has just checked.
    @unsafe @inline(__always)
    static func checked<Content: Error, Wanted>(
        _ content: Content, _ error: UnboxedError, as type: Wanted.Type
    ) -> Wanted {
        if Wanted.self == (any Error).self { return unsafe unsafeBitCast(error.error as any Error, to: type) }
        return unsafe unsafeBitCast(content, to: type)
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
}
