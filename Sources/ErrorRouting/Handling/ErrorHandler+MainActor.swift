public import Foundation

// Overloads for main-actor actions that await nothing: `{ @MainActor error in … }`.
//
// The bus calls actions from its worker, so these actions are asynchronous. Without the overloads, the compiler would
// treat such a closure as a synchronous action without its actor, which is an error in Swift 6 but only a warning in
// Swift 5. Because of the default argument, the compiler prefers the other overloads for every closure that doesn't
// belong to the main actor.

extension ErrorHandler {
    /// Adds a rule with a main-actor action.
    ///
    /// Except for the actor, the overloads with `isolation` work like the overloads without it, such as
    /// `on(matching:fileID:line:do:)`. A main-actor action counts as an action that can suspend.
    ///
    /// - Parameters:
    ///   - matcher: The matcher of the errors to handle.
    ///   - fileID: The file of the rule's source location; pass it only from your own wrappers.
    ///   - line: The line of the rule's source location.
    ///   - isolation: The actor that the action belongs to; the default is the only valid value.
    ///   - action: The action; its result decides whether later rules are still tried. It can throw.
    /// - Returns: This handler with the new rule, which is tried before the existing rules.
    public func on<Output>(
        matching matcher: ErrorMatcher<Output>, fileID: String = #fileID, line: UInt = #line,
        isolation: MainActor = .shared,
        do action: @escaping @MainActor @Sendable (Output) throws -> HandleStrategy
    ) -> ErrorHandler { adding(matcher, fileID, line, .asynchronous(action)) }

    /// Adds a rule with a main-actor action that also receives the report.
    public func on<Output>(
        matching matcher: ErrorMatcher<Output>, fileID: String = #fileID, line: UInt = #line,
        isolation: MainActor = .shared,
        do action: @escaping @MainActor @Sendable (Output, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler { adding(matcher, fileID, line, .asynchronousWithReport(action)) }

    /// Adds a rule for a type of error, with a main-actor action.
    public func on<E: Error>(
        _ type: E.Type, fileID: String = #fileID, line: UInt = #line, isolation: MainActor = .shared,
        do action: @escaping @MainActor @Sendable (E) throws -> HandleStrategy
    ) -> ErrorHandler { adding(.type(type), fileID, line, .asynchronous(action)) }

    /// Adds a rule for a type of error, with a main-actor action that also receives the report.
    public func on<E: Error>(
        _ type: E.Type, fileID: String = #fileID, line: UInt = #line, isolation: MainActor = .shared,
        do action: @escaping @MainActor @Sendable (E, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler { adding(.type(type), fileID, line, .asynchronousWithReport(action)) }

    /// Adds a rule for errors that equal a value, with a main-actor action.
    public func on<E: Error & Equatable>(
        _ value: E, fileID: String = #fileID, line: UInt = #line, isolation: MainActor = .shared,
        do action: @escaping @MainActor @Sendable (E) throws -> HandleStrategy
    ) -> ErrorHandler { adding(.value(value), fileID, line, .asynchronous(action)) }

    /// Adds a rule for errors that equal a value, with a main-actor action that also receives the report.
    public func on<E: Error & Equatable>(
        _ value: E, fileID: String = #fileID, line: UInt = #line, isolation: MainActor = .shared,
        do action: @escaping @MainActor @Sendable (E, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler { adding(.value(value), fileID, line, .asynchronousWithReport(action)) }

    /// Adds a rule for a domain, with a main-actor action.
    public func on(
        domain: String, code: Int? = nil, fileID: String = #fileID, line: UInt = #line, isolation: MainActor = .shared,
        do action: @escaping @MainActor @Sendable (NSError) throws -> HandleStrategy
    ) -> ErrorHandler { adding(.nsError(domain: domain, code: code), fileID, line, .asynchronous(action)) }

    /// Adds a rule for a domain, with a main-actor action that also receives the report.
    public func on(
        domain: String, code: Int? = nil, fileID: String = #fileID, line: UInt = #line, isolation: MainActor = .shared,
        do action: @escaping @MainActor @Sendable (NSError, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler { adding(.nsError(domain: domain, code: code), fileID, line, .asynchronousWithReport(action)) }

    /// Adds an `onNoMatch` with a main-actor action.
    public func onNoMatch(
        fileID: String = #fileID, line: UInt = #line, isolation: MainActor = .shared,
        do action: @escaping @MainActor @Sendable (any Error) throws -> HandleStrategy
    ) -> ErrorHandler { adding(to: .onNoMatch, fileID, line, .asynchronous(action)) }

    /// Adds an `onNoMatch` with a main-actor action that also receives the report.
    public func onNoMatch(
        fileID: String = #fileID, line: UInt = #line, isolation: MainActor = .shared,
        do action: @escaping @MainActor @Sendable (any Error, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler { adding(to: .onNoMatch, fileID, line, .asynchronousWithReport(action)) }

    /// Adds an `always` with a main-actor action.
    public func always(
        fileID: String = #fileID, line: UInt = #line, isolation: MainActor = .shared,
        returning: HandleStrategy.Type = HandleStrategy.self,
        do action: @escaping @MainActor @Sendable (any Error) throws -> HandleStrategy
    ) -> ErrorHandler { adding(to: .always, fileID, line, .asynchronous(action)) }

    /// Adds an `always` with a main-actor action that also receives the report.
    public func always(
        fileID: String = #fileID, line: UInt = #line, isolation: MainActor = .shared,
        returning: HandleStrategy.Type = HandleStrategy.self,
        do action: @escaping @MainActor @Sendable (any Error, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler { adding(to: .always, fileID, line, .asynchronousWithReport(action)) }

    /// Adds an `always` with a main-actor action that returns nothing.
    public func always(
        fileID: String = #fileID, line: UInt = #line, isolation: MainActor = .shared,
        do action: @escaping @MainActor @Sendable (any Error) throws -> Void
    ) -> ErrorHandler { always(fileID: fileID, line: line) { error async throws -> Void in try await action(error) } }

    /// Adds an `always` with a main-actor action that also receives the report and returns nothing.
    public func always(
        fileID: String = #fileID, line: UInt = #line, isolation: MainActor = .shared,
        do action: @escaping @MainActor @Sendable (any Error, ErrorReport) throws -> Void
    ) -> ErrorHandler {
        always(fileID: fileID, line: line) { error, report async throws -> Void in try await action(error, report) }
    }
}
