extension ErrorHandler {
    /// Adds a rule that stops the errors it matches without running an action: they count as ignored.
    ///
    /// - Parameters:
    ///   - matcher: The matcher of the errors to ignore.
    ///   - fileID: Where the rule is registered.
    ///   - line: Where the rule is registered.
    /// - Returns: This handler with the new rule, which is tried before the existing ones.
    @inlinable
    public func ignore<Output>(
        matching matcher: ErrorMatcher<Output>, fileID: String = #fileID, line: UInt = #line
    ) -> ErrorHandler { adding(SynchronousRule(ignoring: matcher, at: .init(fileID: fileID, line: line))) }

    /// Ignores a type of error, matched as ``ErrorMatcher/type(_:)`` does.
    ///
    /// - Parameters:
    ///   - type: The type to ignore.
    ///   - fileID: Where the rule is registered.
    ///   - line: Where the rule is registered.
    /// - Returns: This handler with the new rule, which is tried before the existing ones.
    @inlinable
    public func ignore<E: Error>(_ type: E.Type, fileID: String = #fileID, line: UInt = #line) -> ErrorHandler {
        adding(SynchronousRule(ignoring: .type(type), at: .init(fileID: fileID, line: line)))
    }

    /// Ignores errors that equal a value, matched as ``ErrorMatcher/value(_:)`` does.
    ///
    /// - Parameters:
    ///   - value: The value to ignore.
    ///   - fileID: Where the rule is registered.
    ///   - line: Where the rule is registered.
    /// - Returns: This handler with the new rule, which is tried before the existing ones.
    @inlinable
    public func ignore<E: Error & Equatable>(_ value: E, fileID: String = #fileID, line: UInt = #line) -> ErrorHandler {
        adding(SynchronousRule(ignoring: .value(value), at: .init(fileID: fileID, line: line)))
    }

    /// Ignores a domain, or one code of it, matched as ``ErrorMatcher/nsError(domain:code:)`` does.
    ///
    /// - Parameters:
    ///   - domain: The `NSError` domain.
    ///   - code: The code, or nil for every code of the domain.
    ///   - fileID: Where the rule is registered.
    ///   - line: Where the rule is registered.
    /// - Returns: This handler with the new rule, which is tried before the existing ones.
    public func ignore(
        domain: String, code: Int? = nil, fileID: String = #fileID, line: UInt = #line
    ) -> ErrorHandler { ignore(matching: .nsError(domain: domain, code: code), fileID: fileID, line: line) }
}
