extension ErrorHandler {
    /// Adds a rule that stops the errors that it matches; they count as ignored, and the rule doesn't run an action.
    ///
    /// - Parameters:
    ///   - matcher: The matcher of the errors to ignore.
    ///   - fileID: The file of the rule's source location; pass it only from your own wrappers.
    ///   - line: The line of the rule's source location.
    /// - Returns: This handler with the new rule, which is tried before the existing rules.
    @inlinable
    public func ignore<Output>(
        matching matcher: ErrorMatcher<Output>, fileID: String = #fileID, line: UInt = #line
    ) -> ErrorHandler { adding(matcher, fileID, line, .stop(.ignoring)) }

    /// Ignores errors of a type, matched like ``ErrorMatcher/type(_:)``.
    ///
    /// - Parameters:
    ///   - type: The type to ignore.
    ///   - fileID: The file of the rule's source location; pass it only from your own wrappers.
    ///   - line: The line of the rule's source location.
    /// - Returns: This handler with the new rule, which is tried before the existing rules.
    @inlinable
    public func ignore<E: Error>(_ type: E.Type, fileID: String = #fileID, line: UInt = #line) -> ErrorHandler {
        adding(.type(type), fileID, line, .stop(.ignoring))
    }

    /// Adds a rule for each of several types of expected errors.
    ///
    /// Each rule stops the errors that it matches; they count as handled, and the rule doesn't run an action. Use it
    /// for errors that need no action but shouldn't be hidden: a log shows them as handled, at the level `notice`, but
    /// it shows ignored errors only at the level `debug`.
    ///
    /// ```swift
    /// let rules = ErrorHandler().expecting(InvalidOrder.self, OrderMissing.self)
    /// ```
    ///
    /// - Parameters:
    ///   - first: A type to expect, matched like ``ErrorMatcher/type(_:)``.
    ///   - rest: More types to expect.
    ///   - fileID: The file of the rules' source location; pass it only from your own wrappers.
    ///   - line: The line of the rules' source location.
    /// - Returns: This handler with the new rules, which are tried before the existing rules.
    public func expecting<First: Error, each Rest: Error>(
        _ first: First.Type, _ rest: repeat (each Rest).Type, fileID: String = #fileID, line: UInt = #line
    ) -> ErrorHandler {
        var result = adding(.type(first), fileID, line, .stop(.expecting))
        for type in repeat each rest { result = result.adding(.type(type), fileID, line, .stop(.expecting)) }
        return result
    }

    /// Ignores errors that equal a value, matched like ``ErrorMatcher/value(_:)``.
    ///
    /// - Parameters:
    ///   - value: The value to ignore.
    ///   - fileID: The file of the rule's source location; pass it only from your own wrappers.
    ///   - line: The line of the rule's source location.
    /// - Returns: This handler with the new rule, which is tried before the existing rules.
    @inlinable
    public func ignore<E: Error & Equatable>(_ value: E, fileID: String = #fileID, line: UInt = #line) -> ErrorHandler {
        adding(.value(value), fileID, line, .stop(.ignoring))
    }

    /// Ignores a domain or one of its codes, matched like ``ErrorMatcher/nsError(domain:code:)``.
    ///
    /// - Parameters:
    ///   - domain: The `NSError` domain.
    ///   - code: The code, or nil for every code of the domain.
    ///   - fileID: The file of the rule's source location; pass it only from your own wrappers.
    ///   - line: The line of the rule's source location.
    /// - Returns: This handler with the new rule, which is tried before the existing rules.
    public func ignore(
        domain: String, code: Int? = nil, fileID: String = #fileID, line: UInt = #line
    ) -> ErrorHandler { ignore(matching: .nsError(domain: domain, code: code), fileID: fileID, line: line) }
}
