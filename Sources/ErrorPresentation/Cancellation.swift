import ErrorRouting
import Foundation

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
