import BoundedDescriptions
import StandardErrorWriter
import Synchronization

/// A note that an error was posted by a thread while that thread was logging another error.
///
/// If such an error were logged too, a log that posts an error because it can't write would never stop.
final class PostingLog: Sendable {
    /// The depth of the error that was being logged; see ``PerThread/logDepth``.
    let depth: Int
    /// The last resort of the bus that delivers the posted error.
    let lastResort: LastResort
    /// Whether the last resort has received the error: each `logging` preset omits it, but one line is enough.
    private let isWritten = Atomic<Bool>(false)

    private init(depth: Int, lastResort: LastResort) { (self.depth, self.lastResort) = (depth, lastResort) }

    /// A copy for another error: the notice about an action that failed while handling this error.
    var forNotice: PostingLog { PostingLog(depth: depth, lastResort: lastResort) }

    /// Returns whether the caller is the first, which must pass the error to the last resort.
    func claim() -> Bool { !isWritten.exchange(true, ordering: .relaxed) }

    /// Returns the note for an error that the calling thread posts; nil if the thread isn't logging.
    static func current(_ lastResort: @autoclosure () -> LastResort) -> PostingLog? {
        let depth = PerThread.logDepth
        return depth == 0 ? nil : PostingLog(depth: depth, lastResort: lastResort())
    }
}

extension ErrorReport {
    /// Calls a closure that logs the report.
    ///
    /// If the error was posted or is being handled while another error was logged, the last resort receives it instead.
    @inline(__always)
    func logged(by log: () -> Void) {
        guard rareParts?.value.log == nil, PerThread.logDepth == 0 else { return leaveOutOfLog() }
        PerThread.logging(atDepth: 1, log)
    }

    /// Passes the report to the last resort instead of a log.
    ///
    /// If the last resort in turn posts an error, that error goes to standard error. Its message is omitted, because
    /// computing a message could post another error.
    @inline(never)
    private func leaveOutOfLog() {
        let log = rareParts?.value.log
        let depth = max(log?.depth ?? 0, PerThread.logDepth)
        if let log, !log.claim() { return }
        PerThread.logging(atDepth: depth + 1) {
            let reason = "it was posted while an error was logged"
            if depth == 1 {
                (log?.lastResort ?? .ofProcess).write(self, because: reason)
            } else {
                StandardError.write("\(shortLine()) reason=\(OneLine.quoted(reason))")
            }
        }
    }
}
