import Dispatch
import ErrorRouting
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transfer in progress.
///
/// Events change its state machine under a lock. The waiting caller receives the result after unlocking.
final class Transfer: Sendable {
    /// The queue for all calls that block until Foundation's own queue is free.
    ///
    /// On Linux, that queue does the work of all sessions, so any server can keep it busy. The calls block this queue's
    /// thread instead of a thread of the caller's executor. They run in order, so a task isn't cancelled before it is
    /// created.
    static let calls = DispatchQueue(label: "HTTPErrors.Transfer.calls")

    private let machine: Locked<TransferMachine>
    private let end = Promise<TransferMachine.End>()
    private let task = Locked<URLSessionTask?>(nil)
    private let isEnding = Atomic(false)

    init(bodyLimit: Int) {
        machine = Locked(TransferMachine(bodyLimit: bodyLimit))
    }

    /// Whether a caller is still waiting for the response.
    var isWanted: Bool { machine.withLock { $0.isWanted } }

    /// Starts the session's task, which is cancelled when no caller waits for it anymore.
    func start(_ task: URLSessionTask) {
        self.task.withLock { $0 = task }
        task.resume()
    }

    /// Returns true to the first caller, which may end the task.
    func beginEnding() -> Bool { !isEnding.exchange(true, ordering: .relaxed) }

    func receive(_ head: TransportResponse) { settle(machine.withLock { $0.receive(head) }) }

    /// Receives the head that the session provides when the transfer ends.
    ///
    /// The head is converted only if no head has arrived yet.
    func receiveAtEnd(_ head: @autoclosure () -> TransportResponse) {
        if machine.withLock({ $0.isWithoutHead }) { receive(head()) }
    }

    func receive(_ data: Data) { settle(machine.withLock { $0.receive(data) }) }

    func complete(_ error: (any Error)?) { settle(machine.withLock { $0.complete(error) }) }

    func abandon(_ error: any Error) { settle(machine.withLock { $0.abandon(error) }) }

    /// Records that the session has ended the task.
    func forgetTask() {
        _ = beginEnding()
        // Wait for a running `cancel`, because it traps on Linux if the session has dropped the task.
        task.withLock { $0 = nil }
    }

    /// Passes the result to the caller, and cancels the session's task unless it is already ending.
    ///
    /// The session's task is cancelled later and on a queue that isn't Foundation's. During a cancellation handler, the
    /// caller's task is locked; cancelling waits for Foundation's queue, which might be waiting for that lock.
    private func settle(_ end: TransferMachine.End?) {
        guard let end else { return }
        self.end.fulfill(end)
        guard beginEnding() else { return }
        Self.calls.async { [task] in
            task.withLock {
                $0?.cancel()
                // Wait until the task is cancelled, because the session must not drop it before that. On Linux, reading
                // the priority waits.
                _ = $0?.priority
            }
        }
    }

    /// Waits for the response, and throws immediately if the task is cancelled.
    func response(within limit: Duration) async throws -> TransportResponse {
        try await end.value(within: limit, abandon)
    }
}

extension Promise {
    /// Waits for the value until the time limit expires or the task is cancelled.
    ///
    /// If the wait ends early, `abandon` is called with the reason and must set the value unless it is already set. A
    /// `limit` of nil means no limit.
    func value<Success>(
        within limit: Duration?,
        _ abandon: @escaping @Sendable (any Error) -> Void
    ) async throws -> Success where Value == Result<Success, any Error> {
        let timer = limit.map { limit in
            Task.detached {
                // error-audit: harmless, because only the end of the wait ends the sleep early
                guard (try? await sleep(for: limit)) != nil else { return }
                abandon(URLError(.timedOut))
            }
        }
        defer { timer?.cancel() }
        return try await withTaskCancellationHandler {
            try await value.get()
        } onCancel: {
            abandon(CancellationError())
        }
    }
}
