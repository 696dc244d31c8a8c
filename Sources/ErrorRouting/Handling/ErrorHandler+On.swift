public import Foundation

// The generic methods are inlinable, like those of `ignore`, so that a caller that knows the error's type looks up the
// rule's class once and not for each rule that it creates.

extension ErrorHandler {
    /// Adds a rule: if the matcher matches, the action runs with the matcher's output.
    ///
    /// There are four kinds of actions, because an action can also receive the ``ErrorReport``, and because it can be
    /// synchronous or asynchronous. The compiler picks the synchronous overload for a closure that doesn't await. With
    /// every method, write a main-actor action as `{ @MainActor error in … }`; it counts as an action that can suspend.
    ///
    /// - Parameters:
    ///   - matcher: The matcher of the errors to handle.
    ///   - fileID: The file of the rule's source location; pass it only from your own wrappers.
    ///   - line: The line of the rule's source location.
    ///   - action: The action; its result decides whether later rules are still tried. It can throw.
    /// - Returns: This handler with the new rule, which is tried before the existing rules.
    @inlinable
    public func on<Output>(
        matching matcher: ErrorMatcher<Output>, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (Output) throws -> HandleStrategy
    ) -> ErrorHandler { adding(matcher, fileID, line, .synchronous(action)) }

    /// Adds a rule with an action that also receives the report; see ``on(matching:fileID:line:do:)``.
    @inlinable
    public func on<Output>(
        matching matcher: ErrorMatcher<Output>, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (Output, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler { adding(matcher, fileID, line, .synchronousWithReport(action)) }

    /// Adds a rule with an action that can suspend; see ``on(matching:fileID:line:do:)``.
    @inlinable
    public func on<Output>(
        matching matcher: ErrorMatcher<Output>, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (Output) async throws -> HandleStrategy
    ) -> ErrorHandler { adding(matcher, fileID, line, .asynchronous(action)) }

    /// Adds a rule with an action that also receives the report and can suspend; see ``on(matching:fileID:line:do:)``.
    @inlinable
    public func on<Output>(
        matching matcher: ErrorMatcher<Output>, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (Output, ErrorReport) async throws -> HandleStrategy
    ) -> ErrorHandler { adding(matcher, fileID, line, .asynchronousWithReport(action)) }

    /// Adds a rule for a type of error, matched like ``ErrorMatcher/type(_:)``.
    ///
    /// - Parameters:
    ///   - type: The type to match; a class matches its subclasses too.
    ///   - fileID: The file of the rule's source location; pass it only from your own wrappers.
    ///   - line: The line of the rule's source location.
    ///   - action: The action; its result decides whether later rules are still tried. It can throw.
    /// - Returns: This handler with the new rule, which is tried before the existing rules.
    @inlinable
    public func on<E: Error>(
        _ type: E.Type, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (E) throws -> HandleStrategy
    ) -> ErrorHandler { adding(MatcherRule(type: type, at: .init(fileID: fileID, line: line), .synchronous(action))) }

    /// Adds a rule for a type of error, with an action that also receives the report; see ``on(_:fileID:line:do:)``.
    @inlinable
    public func on<E: Error>(
        _ type: E.Type, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (E, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler { adding(.type(type), fileID, line, .synchronousWithReport(action)) }

    /// Adds a rule for a type of error, with an action that can suspend; see ``on(_:fileID:line:do:)``.
    @inlinable
    public func on<E: Error>(
        _ type: E.Type, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (E) async throws -> HandleStrategy
    ) -> ErrorHandler { adding(.type(type), fileID, line, .asynchronous(action)) }

    /// Adds a rule for a type of error, with an action that also receives the report and can suspend.
    ///
    /// See ``on(_:fileID:line:do:)``.
    @inlinable
    public func on<E: Error>(
        _ type: E.Type, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (E, ErrorReport) async throws -> HandleStrategy
    ) -> ErrorHandler { adding(.type(type), fileID, line, .asynchronousWithReport(action)) }

    /// Adds a rule for errors that equal a value, matched like ``ErrorMatcher/value(_:)``.
    ///
    /// - Parameters:
    ///   - value: The value to compare with.
    ///   - fileID: The file of the rule's source location; pass it only from your own wrappers.
    ///   - line: The line of the rule's source location.
    ///   - action: The action; its result decides whether later rules are still tried. It can throw.
    /// - Returns: This handler with the new rule, which is tried before the existing rules.
    @inlinable
    public func on<E: Error & Equatable>(
        _ value: E, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (E) throws -> HandleStrategy
    ) -> ErrorHandler { adding(.value(value), fileID, line, .synchronous(action)) }

    /// Adds a rule for errors that equal a value, with an action that also receives the report.
    ///
    /// See ``on(_:fileID:line:do:)``.
    @inlinable
    public func on<E: Error & Equatable>(
        _ value: E, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (E, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler { adding(.value(value), fileID, line, .synchronousWithReport(action)) }

    /// Adds a rule for errors that equal a value, with an action that can suspend; see ``on(_:fileID:line:do:)``.
    @inlinable
    public func on<E: Error & Equatable>(
        _ value: E, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (E) async throws -> HandleStrategy
    ) -> ErrorHandler { adding(.value(value), fileID, line, .asynchronous(action)) }

    /// Adds a rule for errors that equal a value, with an action that also receives the report and can suspend.
    ///
    /// See ``on(_:fileID:line:do:)``.
    @inlinable
    public func on<E: Error & Equatable>(
        _ value: E, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (E, ErrorReport) async throws -> HandleStrategy
    ) -> ErrorHandler { adding(.value(value), fileID, line, .asynchronousWithReport(action)) }

    /// Adds a rule for a domain or one of its codes, matched like ``ErrorMatcher/nsError(domain:code:)``.
    ///
    /// The action receives the result of `error as NSError`.
    ///
    /// - Parameters:
    ///   - domain: The `NSError` domain.
    ///   - code: The code, or nil for every code of the domain.
    ///   - fileID: The file of the rule's source location; pass it only from your own wrappers.
    ///   - line: The line of the rule's source location.
    ///   - action: The action; its result decides whether later rules are still tried. It can throw.
    /// - Returns: This handler with the new rule, which is tried before the existing rules.
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

    /// Adds a rule for a domain, with an action that also receives the report and can suspend.
    ///
    /// See ``on(domain:code:fileID:line:do:)``.
    public func on(
        domain: String, code: Int? = nil, fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (NSError, ErrorReport) async throws -> HandleStrategy
    ) -> ErrorHandler { on(matching: .nsError(domain: domain, code: code), fileID: fileID, line: line, do: action) }
}
