/// Reads the content of an error's box as a type that it is known to have.
///
/// The only place where memory is seen as another type than it was declared with. That is sound because of three others,
/// of which each caller relies on one:
/// - ``MatcherShape/likelihood(for:asksDomain:)`` calls a match certain only if the error is of the matcher's output type, or
///   of a subclass of it (a table in the tests says so of each shape);
/// - a block's plans are found by the error's dynamic type, and so are the ``StepIndex``es in them, which are made for
///   that type;
/// - ``ErrorSubject/isExactly(_:)`` compares the content's type.
enum BoxContent {
    /// Returns the content as a type.
    ///
    /// - Precondition: `Known` is the content's type, a superclass of the content's class, or `AnyObject` for an object.
    ///   Checked in debug builds, and where `CHECKED_CASTS` is defined.
    @unsafe @inline(__always)
    static func content<Content, Known>(_ content: Content, as type: Known.Type) -> Known {
        #if DEBUG || CHECKED_CASTS
            precondition(
                Swift.type(of: content) is Known.Type || type == AnyObject.self && Content.self is AnyClass,
                "\(Content.self) was taken for \(type)")
        #endif
        return unsafe unsafeBitCast(content, to: type)
    }

    /// Returns an error as `any Error`, where that is the generic parameter `Known`.
    ///
    /// Coerced, since a generic function that is passed `any Error` may get the content of its box.
    @unsafe @inline(__always)
    static func box<Known>(of error: any Error, as type: Known.Type) -> Known {
        assert(type == (any Error).self)
        return unsafe unsafeBitCast(error as any Error, to: type)
    }
}
