/// A type and a case whose errors are all of one kind and have no errors under them, as the types of the fields say.
///
/// So it is known of another such error without asking for names, and without looking at its fields.
package struct ErrorCase: Sendable {
    private let type: ObjectIdentifier
    /// The number of an enum's case; the same for all other errors.
    private let number: Int

    /// Looks at an error's fields.
    ///
    /// - Parameter error: The error.
    /// - Returns: Nil if another error of the type and case may have another domain or code, or errors under it.
    package init?(decidingKindOf error: any Error) {
        guard !ErrorText.hasDomainOfItsOwn(error), UnderlyingErrorWalk.hasOnlyPlainFields(error) else { return nil }
        (type, number) = (ObjectIdentifier(Swift.type(of: error)), Self.number(of: error))
    }

    /// Returns whether an error is of the type and case.
    package func includes(_ error: any Error) -> Bool {
        ObjectIdentifier(Swift.type(of: error)) == type && Self.number(of: error) == number
    }

    /// Not `_code`, which may be code of the user's, but what that is by default.
    private static func number(of error: any Error) -> Int {
        func number<Content: Error>(_ content: Content) -> Int { _getDefaultErrorCode(content) }
        // Opened explicitly, since the number of a box would be that of no case.
        return _openExistential(ErrorBox.unboxed(error), do: number)
    }
}
