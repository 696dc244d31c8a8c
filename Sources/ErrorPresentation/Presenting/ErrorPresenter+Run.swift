public import ErrorRouting

#if canImport(Darwin)
    public import Foundation
#else
    import Foundation
#endif

extension ErrorPresenter {
    /// Runs an operation that the user started.
    ///
    /// If it fails, posts the failure and shows it with an offer to retry.
    ///
    /// ```swift
    /// Button("Save") {
    ///     Task { await presenter.run(failureTitle: "The cart could not be saved") { try await cart.save() } }
    /// }
    /// ```
    ///
    /// The failure is presented at once, without waiting for a bus. In a full queue it replaces the newest waiting
    /// error that came from a bus; if there is none, the failure is discarded. If the rules of its bus or scope ignore
    /// the failure, according to their `explain`, it isn't shown.
    ///
    /// In a cancelled task nothing is shown, and a failure is posted unless it is a cancellation or
    /// `URLError.cancelled`. In any other task, a cancellation is shown like any other failure and posted as a notice:
    /// something else was cancelled, and its result is missing. A failure's report contains a mark in its metadata
    /// under `presentation.shown`, so that no presenter that observes the bus shows the failure again.
    ///
    /// The function returns after the first attempt. ``retry(_:)`` runs the operation again and ignores its result, so
    /// the operation itself must update the view. The failure of each attempt is posted. `.ambient` is the poster of
    /// the task that makes the attempt.
    ///
    /// - Parameters:
    ///   - failureTitle: The title of a failure, such as "The cart could not be saved".
    ///   - errors: Where to post a failure.
    ///   - fileID: The source file in the report of a failure.
    ///   - line: The source line in the report of a failure.
    ///   - operation: The operation. It is retained while its failure is waiting or shown.
    /// - Returns: The operation's result; nil if it failed or was cancelled.
    @discardableResult
    @_disfavoredOverload  // Prefer the overload that looks up a literal in the app's string tables.
    public func run<T>(
        failureTitle: String, errors: any ErrorPosting = .ambient, fileID: String = #fileID, line: UInt = #line,
        _ operation: @escaping @MainActor () async throws -> T
    ) async -> T? {
        await attempt(failureTitle, errors, ErrorReport.Source(fileID: fileID, line: line), operation)
    }

    /// Runs an operation without a result that the user started, and returns whether it succeeded.
    ///
    /// Otherwise it works like the function for an operation with a result:
    ///
    /// ```swift
    /// if await presenter.run(failureTitle: "The cart could not be saved", { try await cart.save() }) { dismiss() }
    /// ```
    ///
    /// - Parameters:
    ///   - failureTitle: The title of a failure, such as "The cart could not be saved".
    ///   - errors: Where to post a failure.
    ///   - fileID: The source file in the report of a failure.
    ///   - line: The source line in the report of a failure.
    ///   - operation: The operation. It is retained while its failure is waiting or shown.
    /// - Returns: Whether the first attempt succeeded.
    @discardableResult
    @_disfavoredOverload  // Prefer the overload that looks up a literal in the app's string tables.
    public func run(
        failureTitle: String, errors: any ErrorPosting = .ambient, fileID: String = #fileID, line: UInt = #line,
        _ operation: @escaping @MainActor () async throws -> Void
    ) async -> Bool {
        await attempt(failureTitle, errors, ErrorReport.Source(fileID: fileID, line: line), operation) != nil
    }

    #if canImport(Darwin)
        /// Runs an operation that the user started, with a failure title from the app's string tables.
        ///
        /// Otherwise it works like the function with a `String`.
        ///
        /// - Parameters:
        ///   - failureTitle: The title of a failure, such as "The cart could not be saved". It is looked up when the
        ///     operation starts.
        ///   - errors: Where to post a failure.
        ///   - fileID: The source file in the report of a failure.
        ///   - line: The source line in the report of a failure.
        ///   - operation: The operation. It is retained while its failure is waiting or shown.
        /// - Returns: The operation's result; nil if it failed or was cancelled.
        @discardableResult
        public func run<T>(
            failureTitle: LocalizedStringResource, errors: any ErrorPosting = .ambient, fileID: String = #fileID,
            line: UInt = #line, _ operation: @escaping @MainActor () async throws -> T
        ) async -> T? {
            let source = ErrorReport.Source(fileID: fileID, line: line)
            return await attempt(String(localized: failureTitle), errors, source, operation)
        }

        /// Runs an operation without a result, with a failure title from the app's string tables.
        ///
        /// Otherwise it works like the function with a `String`.
        ///
        /// - Parameters:
        ///   - failureTitle: The title of a failure. It is looked up when the operation starts.
        ///   - errors: Where to post a failure.
        ///   - fileID: The source file in the report of a failure.
        ///   - line: The source line in the report of a failure.
        ///   - operation: The operation. It is retained while its failure is waiting or shown.
        /// - Returns: Whether the first attempt succeeded.
        @discardableResult
        public func run(
            failureTitle: LocalizedStringResource, errors: any ErrorPosting = .ambient, fileID: String = #fileID,
            line: UInt = #line, _ operation: @escaping @MainActor () async throws -> Void
        ) async -> Bool {
            let source = ErrorReport.Source(fileID: fileID, line: line)
            return await attempt(String(localized: failureTitle), errors, source, operation) != nil
        }
    #endif

    func attempt<T>(
        _ title: String, _ errors: any ErrorPosting, _ source: ErrorReport.Source,
        _ operation: @escaping @MainActor () async throws -> T
    ) async -> T? {
        let failure: any Error
        do {
            // Unbind the retried error: errors that the operation itself presents must not count as the result of the
            // retry.
            return try await RetriedError.$current.withValue(nil) { try await operation() }
        } catch {
            failure = Self.unboxed(error)
        }
        let (isCancelled, isIgnored) = (Task.isCancelled, Self.isIgnored(failure, by: errors))
        if let role = Cancellation.role(of: failure) {
            errors.post(failure, as: role, metadata: OwnViewMark.metadata(for: failure), source: source)
        }
        if isCancelled {
            skipCancellation()
            return nil
        }
        if isIgnored {
            if let retried { machine.failRetry(retried) }
            skip()
            return nil
        }
        var arrival = Arrival(error: failure, count: 1, title: title, isFromUser: true, retried: retried)
        arrival.retry = { [weak self] in _ = await self?.attempt(title, errors, source, operation) }
        present(arrival)
        return nil
    }

    /// Returns whether a bus's or scope's rules would ignore an error.
    ///
    /// The rules are evaluated before posting, because the bus might deliver the error much later or never run.
    private static func isIgnored(_ error: any Error, by errors: any ErrorPosting) -> Bool {
        var poster: (any ErrorPosting)? = errors
        // A wrapper might wrap itself.
        for _ in 0...8 {
            if let bus = poster as? ErrorBus { return bus.explain(error).disposition == .ignored }
            if let scope = poster as? ErrorScope { return scope.explain(error).disposition == .ignored }
            poster = poster?.wrapped
        }
        return false
    }
}

/// Recognizes errors that mean cancelled work instead of a failure.
enum Cancellation {
    private static let matcher = ErrorMatcher.cancellation
    private static let ofTransfer = ErrorMatcher.type(URLError.self).where { $0.code == .cancelled }

    /// Returns the role for posting an operation's failure in this task, by the same rule as `catching`; nil if the
    /// task was cancelled and the error only reports that.
    ///
    /// In a cancelled task, `URLError.cancelled` is such an error too.
    static func role(of error: any Error) -> ErrorReport.Role? {
        let isCancellation = matcher.match(error) != nil
        guard Task.isCancelled else { return isCancellation ? .notice : .failure }
        return isCancellation || ofTransfer.match(error) != nil ? nil : .failure
    }
}
