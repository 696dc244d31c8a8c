public import Foundation

// The generic verbs are inlinable, like those of `ignore`. So a caller that knows the error's type looks up the rule's
// class once, not for each rule that it creates.

extension ErrorHandler {
    /// Adds a rule: if the matcher matches, the action runs with the matcher's output.
    ///
    /// The action has four shapes: it receives the match, or the match and the ``ErrorReport``; and it can suspend or
    /// not. The compiler picks the synchronous shape for a closure that awaits nothing. With every verb, write an
    /// action for the main actor as `{ @MainActor error in … }`; it counts as one that can suspend.
    ///
    /// - Parameters:
    ///   - matcher: The matcher.
    ///   - fileID: Where the rule is registered.
    ///   - line: Where the rule is registered.
    ///   - action: The action; its result decides whether later rules are still tried. It can throw.
    /// - Returns: This handler with the new rule, which is tried before the existing ones.
    @inlinable
    public func on<Output>(
        matching matcher: ErrorMatcher<Output>, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (Output) throws -> HandleStrategy
    ) -> ErrorHandler { adding(SynchronousRule(matcher, at: .init(fileID: fileID, line: line), action)) }

    /// Adds a rule with an action that also receives the report; see `on(matching:)` above.
    @inlinable
    public func on<Output>(
        matching matcher: ErrorMatcher<Output>, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (Output, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler { adding(SynchronousReportRule(matcher, at: .init(fileID: fileID, line: line), action)) }

    /// Adds a rule with an action that can suspend; see `on(matching:)` above.
    @inlinable
    public func on<Output>(
        matching matcher: ErrorMatcher<Output>, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (Output) async throws -> HandleStrategy
    ) -> ErrorHandler { adding(AsynchronousRule(matcher, at: .init(fileID: fileID, line: line), action)) }

    /// Adds a rule with an action that also receives the report, and can suspend; see `on(matching:)` above.
    @inlinable
    public func on<Output>(
        matching matcher: ErrorMatcher<Output>, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (Output, ErrorReport) async throws -> HandleStrategy
    ) -> ErrorHandler { adding(AsynchronousReportRule(matcher, at: .init(fileID: fileID, line: line), action)) }

    /// Adds a rule for a type of error, matched as ``ErrorMatcher/type(_:)`` does.
    ///
    /// - Parameters:
    ///   - type: The type to match; a class matches its subclasses too.
    ///   - fileID: Where the rule is registered.
    ///   - line: Where the rule is registered.
    ///   - action: The action; its result decides whether later rules are still tried. It can throw.
    /// - Returns: This handler with the new rule, which is tried before the existing ones.
    @inlinable
    public func on<E: Error>(
        _ type: E.Type, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (E) throws -> HandleStrategy
    ) -> ErrorHandler { adding(SynchronousRule(type: type, at: .init(fileID: fileID, line: line), action)) }

    /// Adds a rule for a type of error, with an action that also receives the report; see `on(matching:)` above.
    @inlinable
    public func on<E: Error>(
        _ type: E.Type, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (E, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler { adding(SynchronousReportRule(.type(type), at: .init(fileID: fileID, line: line), action)) }

    /// Adds a rule for a type of error, with an action that can suspend; see `on(matching:)` above.
    @inlinable
    public func on<E: Error>(
        _ type: E.Type, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (E) async throws -> HandleStrategy
    ) -> ErrorHandler { adding(AsynchronousRule(.type(type), at: .init(fileID: fileID, line: line), action)) }

    /// Adds a rule for a type of error, with an action that also receives the report, and can suspend; see
    /// ``on(_:fileID:line:do:)``.
    @inlinable
    public func on<E: Error>(
        _ type: E.Type, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (E, ErrorReport) async throws -> HandleStrategy
    ) -> ErrorHandler { adding(AsynchronousReportRule(.type(type), at: .init(fileID: fileID, line: line), action)) }

    /// Adds a rule for errors that equal a value, matched as ``ErrorMatcher/value(_:)`` does.
    ///
    /// - Parameters:
    ///   - value: The value to compare with.
    ///   - fileID: Where the rule is registered.
    ///   - line: Where the rule is registered.
    ///   - action: The action; its result decides whether later rules are still tried. It can throw.
    /// - Returns: This handler with the new rule, which is tried before the existing ones.
    @inlinable
    public func on<E: Error & Equatable>(
        _ value: E, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (E) throws -> HandleStrategy
    ) -> ErrorHandler { adding(SynchronousRule(.value(value), at: .init(fileID: fileID, line: line), action)) }

    /// Adds a rule for errors that equal a value, with an action that also receives the report; see
    /// ``on(_:fileID:line:do:)``.
    @inlinable
    public func on<E: Error & Equatable>(
        _ value: E, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (E, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler { adding(SynchronousReportRule(.value(value), at: .init(fileID: fileID, line: line), action)) }

    /// Adds a rule for errors that equal a value, with an action that can suspend; see `on(matching:)` above.
    @inlinable
    public func on<E: Error & Equatable>(
        _ value: E, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (E) async throws -> HandleStrategy
    ) -> ErrorHandler { adding(AsynchronousRule(.value(value), at: .init(fileID: fileID, line: line), action)) }

    /// Adds a rule for errors that equal a value, with an action that also receives the report, and can suspend; see
    /// ``on(_:fileID:line:do:)``.
    @inlinable
    public func on<E: Error & Equatable>(
        _ value: E, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (E, ErrorReport) async throws -> HandleStrategy
    ) -> ErrorHandler { adding(AsynchronousReportRule(.value(value), at: .init(fileID: fileID, line: line), action)) }

    /// Adds a rule for a domain, or one code of it, matched as ``ErrorMatcher/nsError(domain:code:)`` does.
    ///
    /// The action receives the error as the `NSError` that `as NSError` returns.
    ///
    /// - Parameters:
    ///   - domain: The `NSError` domain.
    ///   - code: The code, or nil for every code of the domain.
    ///   - fileID: Where the rule is registered.
    ///   - line: Where the rule is registered.
    ///   - action: The action; its result decides whether later rules are still tried. It can throw.
    /// - Returns: This handler with the new rule, which is tried before the existing ones.
    public func on(
        domain: String, code: Int? = nil, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (NSError) throws -> HandleStrategy
    ) -> ErrorHandler { on(matching: .nsError(domain: domain, code: code), fileID: fileID, line: line, do: action) }

    /// Adds a rule for a domain, with an action that also receives the report; see ``on(domain:code:fileID:line:do:)``.
    public func on(
        domain: String, code: Int? = nil, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (NSError, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler { on(matching: .nsError(domain: domain, code: code), fileID: fileID, line: line, do: action) }

    /// Adds a rule for a domain, with an action that can suspend; see ``on(domain:code:fileID:line:do:)``.
    public func on(
        domain: String, code: Int? = nil, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (NSError) async throws -> HandleStrategy
    ) -> ErrorHandler { on(matching: .nsError(domain: domain, code: code), fileID: fileID, line: line, do: action) }

    /// Adds a rule for a domain, with an action that also receives the report, and can suspend; see
    /// ``on(domain:code:fileID:line:do:)``.
    public func on(
        domain: String, code: Int? = nil, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (NSError, ErrorReport) async throws -> HandleStrategy
    ) -> ErrorHandler { on(matching: .nsError(domain: domain, code: code), fileID: fileID, line: line, do: action) }
}
