public import ErrorRouting

#if canImport(Darwin)
    public import Foundation
#endif

extension ErrorPresenter {
    /// Runs an operation that the user started.
    ///
    /// If the operation fails, the presenter posts the failure and shows it with an offer to retry.
    ///
    /// ```swift
    /// Button("Save") {
    ///     Task { await presenter.run(failureTitle: "The cart could not be saved") { try await cart.save() } }
    /// }
    /// ```
    ///
    /// Compare the result with nil to find out whether an operation without a result succeeded, for example to close a
    /// sheet:
    ///
    /// ```swift
    /// if await presenter.run(failureTitle: "…", { try await cart.save() }) != nil { dismiss() }
    /// ```
    ///
    /// The failure is presented immediately, without waiting for a bus. In a full queue, it replaces the newest waiting
    /// error that came from a bus. If no such error is waiting, the failure is discarded. The failure isn't shown if
    /// its bus or scope ignores it according to `explain`.
    ///
    /// In a cancelled task, the failure isn't shown, and it is posted unless it is a cancellation or
    /// `URLError.cancelled`. In any other task, a cancellation is shown like any other failure but posted as a notice,
    /// because something else was cancelled and its result is missing. The report's metadata contains the key
    /// `presentation.shown`, so that a presenter that observes the bus doesn't show the failure again.
    ///
    /// The method returns after the first attempt. ``retry(_:)`` runs the operation again and ignores its result, so
    /// the operation itself must update the view. The failure of each attempt is posted. `.ambient` posts to the
    /// destination of the task that makes the attempt.
    ///
    /// - Parameters:
    ///   - failureTitle: The title of a failure, such as "The cart could not be saved".
    ///   - errors: Where to post a failure.
    ///   - fileID: The source file in the report of a failure.
    ///   - line: The source line in the report of a failure.
    ///   - operation: The operation to run. It is retained while its failure is waiting or shown.
    /// - Returns: The operation's result; nil if it failed or was cancelled.
    @discardableResult
    @_disfavoredOverload  // Prefer the overload that looks up a literal in the app's string tables.
    public func run<T>(
        failureTitle: String, errors: any ErrorPosting = .ambient, fileID: String = #fileID, line: UInt = #line,
        _ operation: @escaping @MainActor () async throws -> T
    ) async -> T? {
        do {
            // Unbind the retried error: errors that the operation itself presents must not count as the result of the
            // retry.
            return try await Self.$retriedError.withValue(nil) { try await operation() }
        } catch {
            let isCancelled = Task.isCancelled
            // Evaluate the rules before posting: the bus might deliver the error much later or never run.
            let (bus, scope) = errors.target
            let isIgnored = (scope?.explain(error) ?? bus?.explain(error))?.disposition == .ignored
            errors.postShown(error, ErrorReport.Source(fileID: fileID, line: line))
            var arrival = Arrival(
                error: Self.unboxed(error), count: 1, title: failureTitle, isFromUser: true,
                isHidden: isCancelled || isIgnored, retried: isCancelled ? nil : retried)
            arrival.retry = { [weak self] in
                let result = await self?.run(
                    failureTitle: failureTitle, errors: errors, fileID: fileID, line: line, operation)
                return result != nil || !Task.isCancelled
            }
            present(arrival)
            return nil
        }
    }

    #if canImport(Darwin)
        /// Runs an operation that the user started, with a failure title from the app's string tables.
        ///
        /// Apart from that, it behaves like the overload with a `String` title.
        ///
        /// - Parameters:
        ///   - failureTitle: The title of a failure, such as "The cart could not be saved". It is looked up when the
        ///     operation starts.
        ///   - errors: Where to post a failure.
        ///   - fileID: The source file in the report of a failure.
        ///   - line: The source line in the report of a failure.
        ///   - operation: The operation to run. It is retained while its failure is waiting or shown.
        /// - Returns: The operation's result; nil if it failed or was cancelled.
        @discardableResult
        public func run<T>(
            failureTitle: LocalizedStringResource, errors: any ErrorPosting = .ambient, fileID: String = #fileID,
            line: UInt = #line, _ operation: @escaping @MainActor () async throws -> T
        ) async -> T? {
            let title = String(localized: failureTitle)
            return await run(failureTitle: title, errors: errors, fileID: fileID, line: line, operation)
        }
    #endif
}
