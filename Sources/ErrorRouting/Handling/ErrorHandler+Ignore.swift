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

    /// Adds a rule for each of several types of expected errors: it stops them without running an action, and they
    /// count as handled.
    ///
    /// Use it for errors that need no action but aren't worth hiding: a log shows them as handled, at the level
    /// `notice`, where an ignored error has the level `debug`.
    ///
    /// ```swift
    /// let rules = ErrorHandler().expecting(InvalidOrder.self, OrderMissing.self)
    /// ```
    ///
    /// - Parameters:
    ///   - first: A type to expect, matched as ``ErrorMatcher/type(_:)`` does.
    ///   - rest: More types.
    ///   - fileID: Where the rules are registered.
    ///   - line: Where the rules are registered.
    /// - Returns: This handler with the new rules, which are tried before the existing ones.
    public func expecting<First: Error, each Rest: Error>(
        _ first: First.Type, _ rest: repeat (each Rest).Type, fileID: String = #fileID, line: UInt = #line
    ) -> ErrorHandler {
        let source = ErrorReport.Source(fileID: fileID, line: line)
        var result = adding(SynchronousRule(expecting: .type(first), at: source))
        for type in repeat each rest { result = result.adding(Self.expectedRule(of: type, at: source)) }
        return result
    }

    private static func expectedRule<E: Error>(of type: E.Type, at source: ErrorReport.Source) -> Rule {
        SynchronousRule(expecting: .type(type), at: source)
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
