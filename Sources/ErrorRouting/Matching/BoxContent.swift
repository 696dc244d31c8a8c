/// Reads the content of an error's box as a type that it is known to have.
///
/// This is the only code that reads memory as a type other than the declared one. That is sound because each caller
/// relies on one of three facts:
/// - ``MatcherShape/likelihood(for:)`` calls a match certain only if the error is of the matcher's output
///   type or of a subclass of it (a table in the tests checks each shape);
/// - a block's plans are found by the error's dynamic type, and so are the ``StepIndex``es in them, which are created
///   for that type;
/// - ``ErrorSubject/isExactly(_:)`` compares the content's type.
enum BoxContent {
    /// Returns the content as a type.
    ///
    /// - Precondition: `Known` is the content's type, a superclass of the content's class, or `AnyObject` for an
    ///   object. This is checked in debug builds and if `CHECKED_CASTS` is defined.
    @unsafe @inline(__always)
    static func content<Content, Known>(_ content: Content, as type: Known.Type) -> Known {
        #if DEBUG || CHECKED_CASTS
            precondition(
                Swift.type(of: content) is Known.Type || type == AnyObject.self && Content.self is AnyClass,
                "\(Content.self) was taken for \(type)")
        #endif
        return unsafe unsafeBitCast(content, to: type)
    }

    /// Returns an error as `any Error` if that is the generic parameter `Known`.
    ///
    /// It is coerced because a generic function that is passed `any Error` might receive the content of its box.
    @unsafe @inline(__always)
    static func box<Known>(of error: any Error, as type: Known.Type) -> Known {
        assert(type == (any Error).self)
        return unsafe unsafeBitCast(error as any Error, to: type)
    }
}
