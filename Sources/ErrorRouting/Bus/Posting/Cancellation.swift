import Foundation

/// Recognizes cancellations in `catching`, `rethrowing`, `task`, and for views.
package enum Cancellation {
    private static let cancellation = ErrorMatcher.cancellation
    private static let transferCancellation = ErrorMatcher.type(URLError.self).where { $0.code == .cancelled }

    /// Whether an error represents a cancellation.
    static func matches(_ error: any Error) -> Bool { cancellation.match(error) != nil }

    /// Returns the role for posting an error that was caught in the current task.
    ///
    /// The result is nil if the error only reports the cancellation of this task; in a cancelled task, that includes
    /// `URLError.cancelled`. If the task isn't cancelled, other work was cancelled and its result is missing, so the
    /// role of a cancellation is a notice.
    package static func role(of error: any Error) -> ErrorReport.Role? {
        let isCancellation = matches(error)
        guard Task.isCancelled else { return isCancellation ? .notice : .failure }
        return isCancellation || transferCancellation.match(error) != nil ? nil : .failure
    }
}
