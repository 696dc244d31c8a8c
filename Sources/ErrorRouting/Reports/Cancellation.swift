import Foundation

/// Recognizes cancellations in `catching`, `rethrowing` and `task`.
enum Cancellation {
    private static let cancellation = ErrorMatcher.cancellation
    private static let transferCancellation = ErrorMatcher.type(URLError.self).where { $0.code == .cancelled }

    /// Whether an error says that work was cancelled.
    static func matches(_ error: any Error) -> Bool { cancellation.match(error) != nil }

    /// What an error that was caught in the current task is posted as; nil if the task was cancelled and the error only
    /// says so, as `URLError.cancelled` does there too.
    ///
    /// In a task that nobody has cancelled, something else was, and its work is missing: a notice.
    static func role(of error: any Error) -> ErrorReport.Role? {
        let isCancellation = matches(error)
        guard Task.isCancelled else { return isCancellation ? .notice : .failure }
        return isCancellation || transferCancellation.match(error) != nil ? nil : .failure
    }
}
