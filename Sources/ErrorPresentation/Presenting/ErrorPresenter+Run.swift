public import ErrorRouting

#if canImport(Darwin)
    public import Foundation
#else
    import Foundation
#endif

extension ErrorPresenter {
    /// Runs an operation that the person started; if it fails, posts the failure and shows it with an offer to retry.
    ///
    /// ```swift
    /// Button("Save") {
    ///     Task { await presenter.run(failureTitle: "The cart could not be saved") { try await cart.save() } }
    /// }
    /// ```
    ///
    /// The failure is presented at once, without waiting for a bus. In a full queue it takes the place of the newest
    /// waiting error that came from a bus; if there is none, the failure is discarded. If the rules of the bus or scope
    /// that it is posted to ignore the failure (their `explain` says so), it is not shown.
    ///
    /// In a cancelled task nothing is shown; a failure is posted there, unless it is a cancellation or
    /// `URLError.cancelled`. In a task that nobody has cancelled, a cancellation is shown like any other failure, and
    /// posted as a notice: something else was cancelled, and its result is missing. The report of a failure is marked
    /// in its metadata, under `presentation.shown`, so that neither this nor another presenter that observes the bus
    /// shows it again.
    ///
    /// The function returns after the first attempt. ``retry(_:)`` runs the operation again and ignores its result, so
    /// an operation that changes the view must do so itself. The failure of each attempt is posted; the ambient poster
    /// is the one of the task that makes the attempt.
    ///
    /// - Parameters:
    ///   - failureTitle: The title of a failure, such as "The cart could not be saved".
    ///   - errors: Where a failure is posted.
    ///   - fileID: The file that the posted failure names as its source.
    ///   - line: The line that the posted failure names as its source.
    ///   - operation: The operation. It is retained while its failure waits or is shown.
    /// - Returns: The operation's result; nil if it failed or was cancelled.
    @discardableResult
    @_disfavoredOverload  // On Apple's platforms a literal is looked up in the app's tables of strings.
    public func run<T>(
        failureTitle: String,
        errors: any ErrorPosting = .ambient,
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: @escaping @MainActor () async throws -> T
    ) async -> T? {
        await attempt(failureTitle, errors, ErrorReport.Source(fileID: fileID, line: line), operation)
    }

    #if canImport(Darwin)
        /// Runs an operation that the person started; a failure's title is from the app's tables of strings.
        ///
        /// Otherwise it is as the function with a `String`.
        ///
        /// - Parameters:
        ///   - failureTitle: The title of a failure, such as "The cart could not be saved"; looked up when the
        ///     operation is started.
        ///   - errors: Where a failure is posted.
        ///   - fileID: The file that the posted failure names as its source.
        ///   - line: The line that the posted failure names as its source.
        ///   - operation: The operation. It is retained while its failure waits or is shown.
        /// - Returns: The operation's result; nil if it failed or was cancelled.
        @discardableResult
        public func run<T>(
            failureTitle: LocalizedStringResource,
            errors: any ErrorPosting = .ambient,
            fileID: String = #fileID,
            line: UInt = #line,
            _ operation: @escaping @MainActor () async throws -> T
        ) async -> T? {
            let source = ErrorReport.Source(fileID: fileID, line: line)
            return await attempt(String(localized: failureTitle), errors, source, operation)
        }
    #endif

    func attempt<T>(
        _ title: String,
        _ errors: any ErrorPosting,
        _ source: ErrorReport.Source,
        _ operation: @escaping @MainActor () async throws -> T
    ) async -> T? {
        let failure: any Error
        do {
            // Errors that the operation itself presents must not count as the result of the retry.
            return try await RetriedError.$current.withValue(nil) { try await operation() }
        } catch {
            failure = Self.unboxed(error)
        }
        let (isCancelled, isIgnored) = (Task.isCancelled, Self.isIgnored(failure, by: errors))
        if let role = Cancellation.role(of: failure) { post(failure, as: role, to: errors, source) }
        if isCancelled {
            passCancellation()
            return nil
        }
        if isIgnored {
            if let retried { machine.failRetry(retried) }
            pass()
            return nil
        }
        var arrival = Arrival(error: failure, count: 1, title: title, isAskedFor: true, retried: retried)
        arrival.retry = { [weak self] in _ = await self?.attempt(title, errors, source, operation) }
        present(arrival)
        return nil
    }

    private func post(
        _ failure: any Error, as role: ErrorReport.Role, to errors: any ErrorPosting, _ source: ErrorReport.Source
    ) {
        errors.post(failure, as: role, metadata: OwnViewMark.metadata(for: failure), source: source)
    }

    /// Returns whether the rules of a bus or scope would ignore an error.
    ///
    /// The rules are asked before posting: the bus may take long to deliver the error, or never run.
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

/// Recognises errors that mean cancelled work, and not a failure.
enum Cancellation {
    private static let matcher = ErrorMatcher.cancellation
    private static let ofTransfer = ErrorMatcher.type(URLError.self).where { $0.code == .cancelled }

    /// Returns what the failure of an operation in this task is posted as, by the same rule as `catching`; nil if the
    /// task was cancelled and the error only says so, as `URLError.cancelled` does there too.
    static func role(of error: any Error) -> ErrorReport.Role? {
        let isCancellation = matcher.match(error) != nil
        guard Task.isCancelled else { return isCancellation ? .notice : .failure }
        return isCancellation || ofTransfer.match(error) != nil ? nil : .failure
    }
}
