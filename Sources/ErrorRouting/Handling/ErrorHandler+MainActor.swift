// Actions of the main actor that await nothing: `{ @MainActor error in … }`.
//
// The bus calls them from its worker, so that they are asynchronous. The default argument makes the compiler prefer the
// other overloads for every closure that is not the main actor's.

extension ErrorHandler {
    /// Adds a rule with an action of the main actor; see `on(matching:)`.
    ///
    /// - Parameters:
    ///   - matcher: What to match.
    ///   - fileID: Where the rule is registered.
    ///   - line: Where the rule is registered.
    ///   - isolation: The actor that the action belongs to; there is no other than the default.
    ///   - action: What to do; it returns whether rules after this one are still tried. It may throw.
    /// - Returns: This handler with the new rule, which is tried before the existing ones.
    public func on<Output>(
        matching matcher: ErrorMatcher<Output>,
        fileID: String = #fileID,
        line: UInt = #line,
        isolation: MainActor = .shared,
        do action: @escaping @MainActor @Sendable (Output) throws -> HandleStrategy
    ) -> ErrorHandler {
        on(matching: matcher, fileID: fileID, line: line) { output async throws in try await action(output) }
    }

    /// Adds a rule with an action of the main actor that also gets the report; see `on(matching:)`.
    public func on<Output>(
        matching matcher: ErrorMatcher<Output>,
        fileID: String = #fileID,
        line: UInt = #line,
        isolation: MainActor = .shared,
        do action: @escaping @MainActor @Sendable (Output, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler {
        on(matching: matcher, fileID: fileID, line: line) { output, report async throws in
            try await action(output, report)
        }
    }

    /// Adds a rule for a type of error, with an action of the main actor; see `on(matching:)`.
    public func on<E: Error>(
        _ type: E.Type,
        fileID: String = #fileID,
        line: UInt = #line,
        isolation: MainActor = .shared,
        do action: @escaping @MainActor @Sendable (E) throws -> HandleStrategy
    ) -> ErrorHandler {
        on(matching: .type(type), fileID: fileID, line: line, isolation: isolation, do: action)
    }

    /// Adds a rule for a type of error, with an action of the main actor that also gets the report; see
    /// `on(matching:)`.
    public func on<E: Error>(
        _ type: E.Type,
        fileID: String = #fileID,
        line: UInt = #line,
        isolation: MainActor = .shared,
        do action: @escaping @MainActor @Sendable (E, ErrorReport) throws -> HandleStrategy
    ) -> ErrorHandler {
        on(matching: .type(type), fileID: fileID, line: line, isolation: isolation, do: action)
    }
}
