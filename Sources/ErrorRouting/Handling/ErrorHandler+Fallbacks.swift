extension ErrorHandler {
    /// Adds an action for errors that no rule matched.
    ///
    /// An error counts as matched even if all its matching actions returned `.next`. The last registered `onNoMatch`
    /// action runs first. The others follow in that order until one returns `.stop`.
    ///
    /// - Parameters:
    ///   - fileID: The file of the rule's source location; pass it only from your own wrappers.
    ///   - line: The line of the rule's source location.
    ///   - action: The action; its result decides whether later rules are still tried. It can throw.
    /// - Returns: This handler with the new rule, which is tried before the existing rules.
    public func onNoMatch(
        fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (any Error) throws -> HandleStrategy
    ) -> ErrorHandler { adding(to: .onNoMatch, fileID, line, .synchronous(action)) }

    /// Adds an `onNoMatch` action that also receives the report; see ``onNoMatch(fileID:line:do:)``.
    public func onNoMatch(
        fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (any Error, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler { adding(to: .onNoMatch, fileID, line, .synchronousWithReport(action)) }

    /// Adds an `onNoMatch` action that can suspend; see ``onNoMatch(fileID:line:do:)``.
    public func onNoMatch(
        fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (any Error) async throws -> HandleStrategy
    ) -> ErrorHandler { adding(to: .onNoMatch, fileID, line, .asynchronous(action)) }

    /// Adds an `onNoMatch` action that also receives the report and can suspend; see ``onNoMatch(fileID:line:do:)``.
    public func onNoMatch(
        fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (any Error, ErrorReport) async throws -> HandleStrategy
    ) -> ErrorHandler { adding(to: .onNoMatch, fileID, line, .asynchronousWithReport(action)) }

    /// Adds an action that runs last for every error, matched or not.
    ///
    /// Its report shows the outcome so far. The last registered `always` action runs first. The others follow in that
    /// order until one returns `.stop`. An action can also return nothing: `.always { error in count(error) }`. In that
    /// case, the next `always` action runs, as if the action had returned `.next`.
    ///
    /// - Parameters:
    ///   - fileID: The file of the rule's source location; pass it only from your own wrappers.
    ///   - line: The line of the rule's source location.
    ///   - returning: The type that the action returns; the default is the only valid value.
    ///   - action: The action; its result decides whether later `always` actions run. If it returns nothing, they run.
    ///     It can throw.
    /// - Returns: This handler with the new rule, which is tried before the existing rules.
    public func always(
        fileID: String = #fileID, line: UInt = #line, returning: HandleStrategy.Type = HandleStrategy.self,
        do action: @escaping @Sendable (any Error) throws -> HandleStrategy
    ) -> ErrorHandler { adding(to: .always, fileID, line, .synchronous(action)) }

    /// Adds an `always` action that also receives the report; see ``always(fileID:line:returning:do:)``.
    public func always(
        fileID: String = #fileID, line: UInt = #line, returning: HandleStrategy.Type = HandleStrategy.self,
        do action: @escaping @Sendable (any Error, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler { adding(to: .always, fileID, line, .synchronousWithReport(action)) }

    /// Adds an `always` action that can suspend; see ``always(fileID:line:returning:do:)``.
    public func always(
        fileID: String = #fileID, line: UInt = #line, returning: HandleStrategy.Type = HandleStrategy.self,
        do action: @escaping @Sendable (any Error) async throws -> HandleStrategy
    ) -> ErrorHandler { adding(to: .always, fileID, line, .asynchronous(action)) }

    /// Adds an `always` action that also receives the report and can suspend.
    ///
    /// See ``always(fileID:line:returning:do:)``.
    public func always(
        fileID: String = #fileID, line: UInt = #line, returning: HandleStrategy.Type = HandleStrategy.self,
        do action: @escaping @Sendable (any Error, ErrorReport) async throws -> HandleStrategy
    ) -> ErrorHandler { adding(to: .always, fileID, line, .asynchronousWithReport(action)) }
}

// Overloads for actions that return nothing: the search continues after them as if they had returned `.next`.
//
// A closure of several statements without a `return`, or a closure that only throws, fits both kinds of overloads.
// Because of the default argument `returning`, the compiler prefers the overloads below for such a closure. Without
// that argument, it would report a missing `return` or an ambiguous closure. A closure that returns a result fits only
// the overloads above.

extension ErrorHandler {
    /// Adds an `always` action that returns nothing; see `always(fileID:line:returning:do:)`.
    public func always(
        fileID: String = #fileID, line: UInt = #line, do action: @escaping @Sendable (any Error) throws -> Void
    ) -> ErrorHandler {
        always(fileID: fileID, line: line, returning: HandleStrategy.self) { error throws -> HandleStrategy in
            try action(error)
            return .next
        }
    }

    /// Adds an `always` action that also receives the report and returns nothing.
    ///
    /// See `always(fileID:line:returning:do:)`.
    public func always(
        fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (any Error, ErrorReport) throws -> Void
    ) -> ErrorHandler {
        always(fileID: fileID, line: line, returning: HandleStrategy.self) { error, report throws -> HandleStrategy in
            try action(error, report)
            return .next
        }
    }

    /// Adds an `always` action that can suspend and returns nothing; see `always(fileID:line:returning:do:)`.
    public func always(
        fileID: String = #fileID, line: UInt = #line, do action: @escaping @Sendable (any Error) async throws -> Void
    ) -> ErrorHandler {
        always(fileID: fileID, line: line, returning: HandleStrategy.self) { error async throws -> HandleStrategy in
            try await action(error)
            return .next
        }
    }

    /// Adds an `always` action that also receives the report, can suspend, and returns nothing.
    ///
    /// See `always(fileID:line:returning:do:)`.
    public func always(
        fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (any Error, ErrorReport) async throws -> Void
    ) -> ErrorHandler {
        always(fileID: fileID, line: line, returning: HandleStrategy.self) {
            error, report async throws -> HandleStrategy in
            try await action(error, report)
            return .next
        }
    }
}
