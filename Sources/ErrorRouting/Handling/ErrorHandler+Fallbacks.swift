extension ErrorHandler {
    /// Adds an action for errors that no rule matched.
    ///
    /// An error counts as matched even if all its matching actions returned `.next`. The `onNoMatch` action that was
    /// registered last runs first, and so on until one returns `.stop`.
    ///
    /// - Parameters:
    ///   - fileID: Where the rule is registered.
    ///   - line: Where the rule is registered.
    ///   - action: The action; its result decides whether later rules are still tried. It can throw.
    /// - Returns: This handler with the new rule, which is tried before the existing ones.
    public func onNoMatch(
        fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (any Error) throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(SynchronousRule(.onNoMatch, at: .init(fileID: fileID, line: line), action), to: .onNoMatch)
    }

    /// Adds an `onNoMatch` with an action that also receives the report; see ``onNoMatch(fileID:line:do:)``.
    public func onNoMatch(
        fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (any Error, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(SynchronousReportRule(.onNoMatch, at: .init(fileID: fileID, line: line), action), to: .onNoMatch)
    }

    /// Adds an `onNoMatch` with an action that can suspend; see ``onNoMatch(fileID:line:do:)``.
    public func onNoMatch(
        fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (any Error) async throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(AsynchronousRule(.onNoMatch, at: .init(fileID: fileID, line: line), action), to: .onNoMatch)
    }

    /// Adds an `onNoMatch` with an action that also receives the report, and can suspend; see
    /// ``onNoMatch(fileID:line:do:)``.
    public func onNoMatch(
        fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (any Error, ErrorReport) async throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(AsynchronousReportRule(.onNoMatch, at: .init(fileID: fileID, line: line), action), to: .onNoMatch)
    }

    /// Adds an action that runs last for every error, matched or not.
    ///
    /// Its report carries the outcome so far. The `always` action that was registered last runs first, and so on until
    /// one returns `.stop`. An action can also return nothing: `.always { error in count(error) }`. Then the next
    /// `always` action runs, as after `.next`.
    ///
    /// - Parameters:
    ///   - fileID: Where the rule is registered.
    ///   - line: Where the rule is registered.
    ///   - returning: What the action returns; the default is the only valid value.
    ///   - action: The action; its result decides whether later `always` actions run. If it returns nothing, they do.
    ///     It can throw.
    /// - Returns: This handler with the new rule, which is tried before the existing ones.
    public func always(
        fileID: String = #fileID, line: UInt = #line, returning: HandleStrategy.Type = HandleStrategy.self,
        do action: @escaping @Sendable (any Error) throws -> HandleStrategy
    ) -> ErrorHandler { adding(SynchronousRule(.always, at: .init(fileID: fileID, line: line), action), to: .always) }

    /// Adds an `always` with an action that also receives the report; see ``always(fileID:line:returning:do:)``.
    public func always(
        fileID: String = #fileID, line: UInt = #line, returning: HandleStrategy.Type = HandleStrategy.self,
        do action: @escaping @Sendable (any Error, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(SynchronousReportRule(.always, at: .init(fileID: fileID, line: line), action), to: .always)
    }

    /// Adds an `always` with an action that can suspend; see ``always(fileID:line:returning:do:)``.
    public func always(
        fileID: String = #fileID, line: UInt = #line, returning: HandleStrategy.Type = HandleStrategy.self,
        do action: @escaping @Sendable (any Error) async throws -> HandleStrategy
    ) -> ErrorHandler { adding(AsynchronousRule(.always, at: .init(fileID: fileID, line: line), action), to: .always) }

    /// Adds an `always` with an action that also receives the report, and can suspend; see ``always(fileID:line:returning:do:)``.
    public func always(
        fileID: String = #fileID, line: UInt = #line, returning: HandleStrategy.Type = HandleStrategy.self,
        do action: @escaping @Sendable (any Error, ErrorReport) async throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(AsynchronousReportRule(.always, at: .init(fileID: fileID, line: line), action), to: .always)
    }
}

// Actions that return nothing: the search continues after them, as after `.next`.
//
// A closure of several statements without a `return`, or one that only throws, fits both kinds of overloads. Because of
// the default argument `returning`, the compiler prefers the overloads below for such a closure. It would otherwise miss
// a `return`, or call the closure ambiguous. A closure that has a result never fits them better.

extension ErrorHandler {
    /// Adds an `always` with an action that returns nothing, and continues; see its other overloads.
    public func always(
        fileID: String = #fileID, line: UInt = #line, do action: @escaping @Sendable (any Error) throws -> Void
    ) -> ErrorHandler {
        always(fileID: fileID, line: line, returning: HandleStrategy.self) { error throws -> HandleStrategy in
            try action(error)
            return .next
        }
    }

    /// Adds an `always` with an action that also receives the report and returns nothing; see its
    /// other overloads.
    public func always(
        fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (any Error, ErrorReport) throws -> Void
    ) -> ErrorHandler {
        always(fileID: fileID, line: line, returning: HandleStrategy.self) { error, report throws -> HandleStrategy in
            try action(error, report)
            return .next
        }
    }

    /// Adds an `always` with an action that can suspend and returns nothing; see its other overloads.
    public func always(
        fileID: String = #fileID, line: UInt = #line, do action: @escaping @Sendable (any Error) async throws -> Void
    ) -> ErrorHandler {
        always(fileID: fileID, line: line, returning: HandleStrategy.self) { error async throws -> HandleStrategy in
            try await action(error)
            return .next
        }
    }

    /// Adds an `always` with an action that also receives the report, can suspend, and returns nothing; see its
    /// other overloads.
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

extension ErrorMatcher<any Error> {
    /// The matchers of fallbacks; descriptions show them with the names of the verbs.
    static var onNoMatch: Self { .any.named("onNoMatch") }
    static var always: Self { .any.named("always") }
}
