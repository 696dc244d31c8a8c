public import ErrorRouting
import Foundation

extension ErrorPresenter {
    /// Runs an operation that the person started; if it fails, posts the failure and shows it with an offer to retry.
    ///
    /// ```swift
    /// Button("Save") { Task { await presenter.run("Saving") { try await document.save() } } }
    /// ```
    ///
    /// The failure is presented at once, without waiting for a bus. In a full queue it takes the place of the newest
    /// waiting error that came from a bus; if there is none, the failure is discarded. If the rules of the bus or scope
    /// that it is posted to ignore the failure (their `explain` says so), it is not shown.
    ///
    /// Cancellations, and `URLError.cancelled` in a cancelled task, are neither posted nor shown. Another failure in a
    /// cancelled task is posted, and not shown. The report of a failure is marked in its metadata, under
    /// `presentation.shown`, so that neither this nor another presenter that observes the bus shows it again.
    ///
    /// The function returns after the first attempt. ``retry(_:)`` runs the operation again and ignores its result, so
    /// an operation that changes the view must do so itself. The failure of each attempt is posted; the ambient poster
    /// is the one of the task that makes the attempt.
    ///
    /// - Parameters:
    ///   - title: The name of the action, as the title of its failure.
    ///   - errors: Where a failure is posted.
    ///   - fileID: The file that the posted failure names as its source.
    ///   - line: The line that the posted failure names as its source.
    ///   - operation: The operation. It is retained while its failure waits or is shown.
    /// - Returns: The operation's result; nil if it failed or was cancelled.
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
        let isCancellation = Cancellation.isEnd(failure)
        if isCancellation || Task.isCancelled {
            if !isCancellation { post(failure, to: errors, source) }
            passCancellation()
            return nil
        }
        let isIgnored = await Self.isIgnored(failure, by: errors)
        post(failure, to: errors, source)
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

    private func post(_ failure: any Error, to errors: any ErrorPosting, _ source: ErrorReport.Source) {
        errors.post(failure, as: .failure, metadata: OwnViewMark.metadata(for: failure), source: source)
    }

    /// Returns whether the rules of a bus or scope would ignore an error.
    ///
    /// The rules are asked before posting: the bus may take long to deliver the error, or never run.
    private static func isIgnored(_ error: any Error, by errors: any ErrorPosting) async -> Bool {
        switch errors {
        case let bus as ErrorBus:
            bus.scope("presentation").explain(error).disposition == .ignored
        case let scope as ErrorScope:
            scope.explain(error).disposition == .ignored
        case is AmbientErrorPosting:
            // A scope below the current scope, bus or root, to which the error will be posted.
            await withErrorScope("presentation") { $0.explain(error).disposition == .ignored }
        default:
            false
        }
    }
}

/// Recognises errors that mean cancelled work, and not a failure.
enum Cancellation {
    private static let matcher = ErrorMatcher.cancellation
    private static let ofTransfer = ErrorMatcher.type(URLError.self).where { $0.code == .cancelled }

    /// Returns whether an error says that work was cancelled, in any task.
    static func matches(_ error: any Error) -> Bool { matcher.match(error) != nil }

    /// Returns whether an error means that the work of this task was cancelled, by the same rule as `catching`.
    ///
    /// In a cancelled task this includes `URLError.cancelled`.
    static func isEnd(_ error: any Error) -> Bool {
        matches(error) || Task.isCancelled && ofTransfer.match(error) != nil
    }
}
