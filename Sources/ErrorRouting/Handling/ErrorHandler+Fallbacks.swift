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
    /// one returns `.stop`.
    ///
    /// - Parameters:
    ///   - fileID: Where the rule is registered.
    ///   - line: Where the rule is registered.
    ///   - action: The action; its result decides whether later rules are still tried. It can throw.
    /// - Returns: This handler with the new rule, which is tried before the existing ones.
    public func always(
        fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (any Error) throws -> HandleStrategy
    ) -> ErrorHandler { adding(SynchronousRule(.always, at: .init(fileID: fileID, line: line), action), to: .always) }

    /// Adds an `always` with an action that also receives the report; see ``always(fileID:line:do:)``.
    public func always(
        fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (any Error, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(SynchronousReportRule(.always, at: .init(fileID: fileID, line: line), action), to: .always)
    }

    /// Adds an `always` with an action that can suspend; see ``always(fileID:line:do:)``.
    public func always(
        fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (any Error) async throws -> HandleStrategy
    ) -> ErrorHandler { adding(AsynchronousRule(.always, at: .init(fileID: fileID, line: line), action), to: .always) }

    /// Adds an `always` with an action that also receives the report, and can suspend; see ``always(fileID:line:do:)``.
    public func always(
        fileID: String = #fileID, line: UInt = #line,
        do action: @escaping @Sendable (any Error, ErrorReport) async throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(AsynchronousReportRule(.always, at: .init(fileID: fileID, line: line), action), to: .always)
    }
}

extension ErrorMatcher<any Error> {
    /// The matchers of fallbacks; descriptions show them with the names of the verbs.
    static var onNoMatch: Self { .any.named("onNoMatch") }
    static var always: Self { .any.named("always") }
}
