extension ErrorHandler {
    /// Adds an action for errors that no rule matched.
    ///
    /// An error whose matching actions all returned `.next` counts as matched. Several `onNoMatch` actions run
    /// last-registered first, until one returns `.stop`.
    ///
    /// - Parameters:
    ///   - fileID: Where the rule is registered.
    ///   - line: Where the rule is registered.
    ///   - action: What to do; it returns whether rules after this one are still tried. It may throw.
    /// - Returns: This handler with the new rule, which is tried before the existing ones.
    public func onNoMatch(
        fileID: String = #fileID,
        line: UInt = #line,
        do action: @escaping @Sendable (any Error) throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(SynchronousRule(.onNoMatch, at: .init(fileID: fileID, line: line), action), to: .onNoMatch)
    }

    /// Adds an `onNoMatch` whose action also gets the report; see ``onNoMatch(fileID:line:do:)``.
    public func onNoMatch(
        fileID: String = #fileID,
        line: UInt = #line,
        do action: @escaping @Sendable (any Error, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(SynchronousReportRule(.onNoMatch, at: .init(fileID: fileID, line: line), action), to: .onNoMatch)
    }

    /// Adds an `onNoMatch` whose action may suspend; see ``onNoMatch(fileID:line:do:)``.
    public func onNoMatch(
        fileID: String = #fileID,
        line: UInt = #line,
        do action: @escaping @Sendable (any Error) async throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(AsynchronousRule(.onNoMatch, at: .init(fileID: fileID, line: line), action), to: .onNoMatch)
    }

    /// Adds an `onNoMatch` whose action also gets the report, and may suspend; see ``onNoMatch(fileID:line:do:)``.
    public func onNoMatch(
        fileID: String = #fileID,
        line: UInt = #line,
        do action: @escaping @Sendable (any Error, ErrorReport) async throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(AsynchronousReportRule(.onNoMatch, at: .init(fileID: fileID, line: line), action), to: .onNoMatch)
    }

    /// Adds an action that runs last for every error, matched or not.
    ///
    /// Its report carries the outcome so far. Several `always` actions run last-registered first, until one returns
    /// `.stop`.
    ///
    /// - Parameters:
    ///   - fileID: Where the rule is registered.
    ///   - line: Where the rule is registered.
    ///   - action: What to do; it returns whether rules after this one are still tried. It may throw.
    /// - Returns: This handler with the new rule, which is tried before the existing ones.
    public func always(
        fileID: String = #fileID,
        line: UInt = #line,
        do action: @escaping @Sendable (any Error) throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(SynchronousRule(.always, at: .init(fileID: fileID, line: line), action), to: .always)
    }

    /// Adds an `always` whose action also gets the report; see ``always(fileID:line:do:)``.
    public func always(
        fileID: String = #fileID,
        line: UInt = #line,
        do action: @escaping @Sendable (any Error, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(SynchronousReportRule(.always, at: .init(fileID: fileID, line: line), action), to: .always)
    }

    /// Adds an `always` whose action may suspend; see ``always(fileID:line:do:)``.
    public func always(
        fileID: String = #fileID,
        line: UInt = #line,
        do action: @escaping @Sendable (any Error) async throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(AsynchronousRule(.always, at: .init(fileID: fileID, line: line), action), to: .always)
    }

    /// Adds an `always` whose action also gets the report, and may suspend; see ``always(fileID:line:do:)``.
    public func always(
        fileID: String = #fileID,
        line: UInt = #line,
        do action: @escaping @Sendable (any Error, ErrorReport) async throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(AsynchronousReportRule(.always, at: .init(fileID: fileID, line: line), action), to: .always)
    }
}

extension ErrorMatcher<any Error> {
    /// The matchers of fallbacks, which descriptions show by the verbs' names.
    fileprivate static var onNoMatch: Self { .any.named("onNoMatch") }
    fileprivate static var always: Self { .any.named("always") }
}
