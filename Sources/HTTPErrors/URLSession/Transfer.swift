import Dispatch
import ErrorRouting
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transfer under way.
///
/// Events change its machine under a lock; the waiting caller receives the result after unlocking.
final class Transfer: Sendable {
    /// The queue for all calls that block until Foundation's own queue is free.
    ///
    /// On Linux that queue does the work of all sessions, so any server can keep it busy. The calls block this queue's
    /// thread instead of a thread of the caller's executor. The calls run in order, so a task isn't cancelled before it
    /// is created.
    static let calls = DispatchQueue(label: "HTTPErrors.Transfer.calls")

    private let machine: Locked<TransferMachine>
    private let end = Promise<TransferMachine.End>()
    private let task = Locked<(task: URLSessionTask, session: URLSession)?>(nil)
    private let isEnding = Atomic(false)

    init(bodyLimit: Int) {
        machine = Locked(TransferMachine(bodyLimit: bodyLimit))
    }

    /// Whether a caller still waits for the response.
    var isWanted: Bool { machine.withLock { $0.isWanted } }

    /// Starts the session's task, which is cancelled when no caller waits for it any longer.
    func start(_ task: URLSessionTask, of session: URLSession) {
        self.task.withLock { $0 = (task, session) }
        task.resume()
    }

    /// Returns true to the first caller, which may end the task.
    func beginEnding() -> Bool { !isEnding.exchange(true, ordering: .relaxed) }

    func receive(_ head: TransportResponse) { settle(machine.withLock { $0.receive(head) }) }

    /// Receives the head that the session provides when the transfer ends.
    ///
    /// The head is converted only if no head has arrived before.
    func receiveAtEnd(_ head: @autoclosure () -> TransportResponse) {
        if machine.withLock({ $0.isWithoutHead }) { receive(head()) }
    }

    func receive(_ data: Data) { settle(machine.withLock { $0.receive(data) }) }

    func complete(_ error: (any Error)?) { settle(machine.withLock { $0.complete(error) }) }

    func abandon(_ error: any Error) { settle(machine.withLock { $0.abandon(error) }) }

    /// Records that the session has ended the task.
    func forgetTask() {
        _ = beginEnding()
        // Wait for a running `cancel`: it traps on Linux if the session has dropped the task.
        task.withLock { $0 = nil }
    }

    /// Passes the result to the caller, and cancels the session's task unless it is ending.
    private func settle(_ end: TransferMachine.End?) {
        guard let end else { return }
        self.end.fulfill(end)
        guard beginEnding() else { return }
        let queue = task.withLock { $0?.session.libcurlQueue }
        queue?.suspend()
        Self.calls.async { [task] in
            task.withLock {
                $0?.task.cancel()
                // Wait until the task is cancelled: on Linux, reading the priority does that.
                _ = $0?.task.priority
            }
            queue?.resume()
        }
    }

    /// Waits for the response, and throws at once if the task is cancelled.
    ///
    /// - Parameter limit: The time limit.
    func response(within limit: Duration) async throws -> TransportResponse {
        try await end.value(within: limit, abandon)
    }
}

extension Promise {
    /// Waits for the value until the time is over or the task is cancelled.
    ///
    /// - Parameters:
    ///   - limit: The time limit; nil for none.
    ///   - abandon: Called with the reason when the wait ends early. It must set the value if nothing else has.
    func value<Success>(
        within limit: Duration?,
        _ abandon: @escaping @Sendable (any Error) -> Void
    ) async throws -> Success where Value == Result<Success, any Error> {
        // Use a timer: a cancelled sleeping task would stay in memory until its time.
        let timer = limit.map { limit in
            let timer = DispatchSource.makeTimerSource()
            timer.schedule(deadline: .now() + min(limit, URLSessionTransport.longest) / .seconds(1))
            timer.setEventHandler { abandon(URLError(.timedOut)) }
            timer.activate()
            return timer
        }
        defer { timer?.cancel() }
        return try await withTaskCancellationHandler {
            try await value.get()
        } onCancel: {
            abandon(CancellationError())
        }
    }
}

/// A session's delegate that forwards each event to its transfer.
final class TransferDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let transfers = Locked<[Int: Transfer]>([:])

    func add(_ transfer: Transfer, for task: URLSessionTask) {
        transfers.withLock { $0[task.taskIdentifier] = transfer }
    }

    private func transfer(of task: URLSessionTask) -> Transfer? {
        transfers.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse { transfer(of: dataTask)?.receive(response.head) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        transfer(of: dataTask)?.receive(data)
    }

    /// Doesn't follow redirects: the client does, in the same way for every transport.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            // Don't call the completion handler for a task that is being cancelled: Foundation would trap.
            guard transfer(of: task)?.beginEnding() ?? true else { return }
        #endif
        completionHandler(nil)
    }

    /// Provides no credentials, so that the response with the challenge is the result.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            // Complete the transfer, which cancels the task: on Linux the challenge comes after the whole response.
            transfer(of: task)?.complete(nil)
        #else
            completionHandler(.performDefaultHandling, nil)
        #endif
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let transfer = transfers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        transfer?.forgetTask()
        // On Linux the head of a redirect without a target is available only here.
        if let response = task.response as? HTTPURLResponse { transfer?.receiveAtEnd(response.head) }
        transfer?.complete(error)
    }
}

extension URLSession {
    /// The queue that libcurl works on, on Linux; nil if this Foundation has another.
    ///
    /// Suspend it to cancel a task: Foundation cancels on another queue, which never gets its turn while a server sends
    /// the body of a redirect faster than Foundation collects it.
    fileprivate var libcurlQueue: DispatchQueue? {
        Mirror(reflecting: self).descendant("multiHandle", "queue") as? DispatchQueue
    }
}

extension HTTPURLResponse {
    /// The head of the response, with an empty body.
    fileprivate var head: TransportResponse {
        var headers = HTTPHeaders()
        for (name, value) in allHeaderFields.map({ ("\($0.key)", "\($0.value)") }) {
            // Foundation joins cookies with commas, which also occur in their dates.
            let isCookie = name.lowercased() == "set-cookie"
            let values = isCookie ? value.split(separator: /, (?=[^;,= ]+=)/).map(String.init) : [value]
            for value in values { headers.append(value, for: name) }
        }
        return TransportResponse(status: statusCode, headers: headers)
    }
}
