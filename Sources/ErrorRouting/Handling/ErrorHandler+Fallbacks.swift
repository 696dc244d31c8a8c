extension ErrorHandler {
    /// Adds an action for errors that no rule matched.
    ///
    /// A match that returns `.next` is a match too. Several run last-registered first, until one returns `.stop`.
    ///
    /// - Parameters:
    ///   - fileID: Where the rule is registered.
    ///   - line: Where the rule is registered.
    ///   - action: What to do; it returns whether rules after this one are still tried. It may throw.
    /// - Returns: The handler with the rule, which goes before all that it had.
    public func onNoMatch(
        fileID: String = #fileID,
        line: UInt = #line,
        do action: @escaping @Sendable (any Error) throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(
            SynchronousRule(ErrorMatcher.any.named("onNoMatch"), at: .init(fileID: fileID, line: line), action),
            to: .onNoMatch)
    }

    /// Adds an `onNoMatch` whose action also gets the report; see ``onNoMatch(fileID:line:do:)``.
    public func onNoMatch(
        fileID: String = #fileID,
        line: UInt = #line,
        do action: @escaping @Sendable (any Error, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(
            SynchronousReportRule(ErrorMatcher.any.named("onNoMatch"), at: .init(fileID: fileID, line: line), action),
            to: .onNoMatch)
    }

    /// Adds an `onNoMatch` whose action may suspend; see ``onNoMatch(fileID:line:do:)``.
    public func onNoMatch(
        fileID: String = #fileID,
        line: UInt = #line,
        do action: @escaping @Sendable (any Error) async throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(
            AsynchronousRule(ErrorMatcher.any.named("onNoMatch"), at: .init(fileID: fileID, line: line), action),
            to: .onNoMatch)
    }

    /// Adds an `onNoMatch` whose action also gets the report, and may suspend; see ``onNoMatch(fileID:line:do:)``.
    public func onNoMatch(
        fileID: String = #fileID,
        line: UInt = #line,
        do action: @escaping @Sendable (any Error, ErrorReport) async throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(
            AsynchronousReportRule(ErrorMatcher.any.named("onNoMatch"), at: .init(fileID: fileID, line: line), action),
            to: .onNoMatch)
    }

    /// Adds an action that runs last, whatever happened.
    ///
    /// Its report carries the outcome so far. Several run last-registered first, until one returns `.stop`.
    ///
    /// - Parameters:
    ///   - fileID: Where the rule is registered.
    ///   - line: Where the rule is registered.
    ///   - action: What to do; it returns whether rules after this one are still tried. It may throw.
    /// - Returns: The handler with the rule, which goes before all that it had.
    public func always(
        fileID: String = #fileID,
        line: UInt = #line,
        do action: @escaping @Sendable (any Error) throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(
            SynchronousRule(ErrorMatcher.any.named("always"), at: .init(fileID: fileID, line: line), action),
            to: .always)
    }

    /// Adds an `always` whose action also gets the report; see ``always(fileID:line:do:)``.
    public func always(
        fileID: String = #fileID,
        line: UInt = #line,
        do action: @escaping @Sendable (any Error, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(
            SynchronousReportRule(ErrorMatcher.any.named("always"), at: .init(fileID: fileID, line: line), action),
            to: .always)
    }

    /// Adds an `always` whose action may suspend; see ``always(fileID:line:do:)``.
    public func always(
        fileID: String = #fileID,
        line: UInt = #line,
        do action: @escaping @Sendable (any Error) async throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(
            AsynchronousRule(ErrorMatcher.any.named("always"), at: .init(fileID: fileID, line: line), action),
            to: .always)
    }

    /// Adds an `always` whose action also gets the report, and may suspend; see ``always(fileID:line:do:)``.
    public func always(
        fileID: String = #fileID,
        line: UInt = #line,
        do action: @escaping @Sendable (any Error, ErrorReport) async throws -> HandleStrategy
    ) -> ErrorHandler {
        adding(
            AsynchronousReportRule(ErrorMatcher.any.named("always"), at: .init(fileID: fileID, line: line), action),
            to: .always)
    }
}
