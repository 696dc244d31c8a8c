import Foundation

/// Recognizes cancellations in `catching`, `rethrowing`, `task`, and for views.
package enum Cancellation {
    private static let cancellation = ErrorMatcher.cancellation
    private static let transferCancellation = ErrorMatcher.type(URLError.self).where { $0.code == .cancelled }

    /// Whether an error represents a cancellation.
    static func matches(_ error: any Error) -> Bool { cancellation.match(error) != nil }

    /// The role for posting an error that was caught in the current task; nil if the error only reports the
    /// cancellation of this task.
    ///
    /// In a cancelled task, `URLError.cancelled` counts as such an error too. If the task isn't cancelled, something
    /// else was, and its work is missing: the role is a notice.
    package static func role(of error: any Error) -> ErrorReport.Role? {
        let isCancellation = matches(error)
        guard Task.isCancelled else { return isCancellation ? .notice : .failure }
        return isCancellation || transferCancellation.match(error) != nil ? nil : .failure
    }
}
