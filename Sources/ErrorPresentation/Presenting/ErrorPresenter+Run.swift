public import ErrorRouting
import Foundation

extension ErrorPresenter {
    /// Runs what the person asked for; should it fail, the failure is posted, and shown with an offer to run it again.
    ///
    /// ```swift
    /// Button("Save") { Task { await presenter.run("Saving") { try await document.save() } } }
    /// ```
    ///
    /// It is presented at once, and waits for no bus. Where as many errors wait as may, it takes the place of the
    /// newest that a bus has handed over, and is discarded only if there is none. Where the rules of the bus or scope
    /// that it is posted to ignore it, as its `explain` says, it is not shown.
    ///
    /// Cancellations are neither posted nor shown, nor is `URLError.cancelled` in a cancelled task. If that bus is
    /// presented here too, the report that comes back is known by its metadata, which has this presenter's number
    /// under `presentation.shown`; another presenter of the bus shows it.
    ///
    /// It returns after the first attempt. ``retry(_:)`` runs the operation again, and what it then returns is
    /// nobody's: an operation that is to change the screen does so itself. Each attempt that fails is posted, for each
    /// is a failure of its own; the ambient poster is the one of the task that makes the attempt.
    ///
    /// - Parameters:
    ///   - title: What is tried, as the title of its failure.
    ///   - errors: Where a failure is posted.
    ///   - fileID: Where a failure is said to be posted.
    ///   - line: Where a failure is said to be posted.
    ///   - operation: What to run. It is kept for as long as its failure waits or is shown.
    /// - Returns: What the operation returned; nil if it failed or was cancelled.
    @discardableResult
    public func run<T>(
        _ title: String,
        errors: any ErrorPosting = .ambient,
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: @escaping @MainActor () async throws -> T
    ) async -> T? {
        await attempt(title, errors, ErrorReport.Source(fileID: fileID, line: line), operation)
    }

    private func attempt<T>(
        _ title: String,
        _ errors: any ErrorPosting,
        _ source: ErrorReport.Source,
        _ operation: @escaping @MainActor () async throws -> T
    ) async -> T? {
        let failure: any Error
        do {
            // Errors that the operation itself runs or presents are not the outcome of its being run again.
            return try await RetriedError.$current.withValue(nil) { try await operation() }
        } catch {
            failure = Self.unboxed(error)
        }
        if Cancellation.isEnd(failure) {
            passCancellation()
            return nil
        }
        let isIgnored = await Self.isIgnored(failure, by: errors)
        errors.post(failure, metadata: mark.metadata(for: failure), source: source)
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

    /// Whether an error, posted there, would be ignored.
    ///
    /// Asked beforehand: the outcome itself may be long in coming, or never come where a bus does not run.
    private static func isIgnored(_ error: any Error, by errors: any ErrorPosting) async -> Bool {
        switch errors {
        case let bus as ErrorBus:
            bus.scope("presentation").explain(error).disposition == .ignored
        case let scope as ErrorScope:
            scope.explain(error).disposition == .ignored
        case is AmbientErrorPosting:
            // Below the scope around it, or the bus, or the root: as the error will be.
            await withErrorScope("presentation") { $0.explain(error).disposition == .ignored }
        default:
            false
        }
    }
}

/// What is no failure: the end of work that was cancelled.
enum Cancellation {
    private static let said = ErrorMatcher.cancellation
    private static let ofTransfer = ErrorMatcher.type(URLError.self).where { $0.code == .cancelled }

    /// Whether an error says by itself that work was cancelled, whoever asks.
    static func says(_ error: any Error) -> Bool { said.match(error) != nil }

    /// Whether an error is the end of the work of this task, as `catching` sees it.
    ///
    /// In a cancelled task a transfer that was cancelled is that too.
    static func isEnd(_ error: any Error) -> Bool {
        says(error) || Task.isCancelled && ofTransfer.match(error) != nil
    }
}
