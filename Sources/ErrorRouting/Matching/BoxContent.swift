/// Reads the content of an error's box as another type.
///
/// This is the only code that reads memory as a type other than the declared one. It compares the types itself, so a
/// wrong type is a failed match, whatever the caller has found out about the error.
enum BoxContent {
    /// Calls a closure with the content of an error's box as a type; nil if the content doesn't have that type.
    ///
    /// This takes a closure so that generic callers needn't look up an optional type.
    ///
    /// - Parameters:
    ///   - content: The content of the box.
    ///   - error: The error in the box.
    ///   - type: The content's own type, a superclass of it, or `any Error`.
    ///   - body: Receives the content.
    @inline(__always)
    static func read<Content: Error, Wanted, Result>(
        _ content: Content, _ error: UnboxedError, as type: Wanted.Type, _ body: (Wanted) throws -> Result
    ) rethrows -> Result? {
        if Content.self == Wanted.self { return try body(unsafe unsafeBitCast(content, to: type)) }
        // Coerce it: a generic function that is passed `any Error` might receive the content of its box.
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
        // Check that it is a class: the type of an error that conforms to a protocol is the protocol's `Type` too.
        guard Wanted.self is AnyClass, dynamicClass(of: content) is Wanted.Type else { return nil }
        return try body(unsafe unsafeBitCast(content, to: type))
    }

    /// Returns the class of an object; nil for a content that isn't an object.
    @inline(__always)
    static func dynamicClass<Content: Error>(of content: Content) -> AnyClass? {
        guard Content.self is AnyClass else { return nil }
        // The runtime takes longer to return the type of a generic value.
        return Swift.type(of: unsafe unsafeBitCast(content, to: AnyObject.self))
    }
}
