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
    private let machine: Locked<TransferMachine>
    private let end = Promise<TransferMachine.End>()
    private let isEnding = Atomic(false)

    init(bodyLimit: Int) {
        machine = Locked(TransferMachine(bodyLimit: bodyLimit))
    }

    /// Returns whether to cancel the session's task because no caller waits for it; true only once.
    func isToBeEnded() -> Bool {
        guard !machine.withLock({ $0.isWanted }) else { return false }
        return !isEnding.exchange(true, ordering: .relaxed)
    }

    func receive(_ head: TransportResponse) { settle(machine.withLock { $0.receive(head) }) }

    /// Receives the head that the session has at the end.
    ///
    /// It is converted only if no head came before.
    func receiveAtEnd(_ head: @autoclosure () -> TransportResponse) {
        guard machine.withLock({ $0.isWithoutHead }) else { return }
        let head = head()
        machine.withLock { $0.receiveAtEnd(head) }
    }

    func receive(_ data: Data) { settle(machine.withLock { $0.receive(data) }) }

    func complete(_ error: (any Error)?) { settle(machine.withLock { $0.complete(error) }) }

    func abandon(_ error: any Error) { settle(machine.withLock { $0.abandon(error) }) }

    private func settle(_ end: TransferMachine.End?) {
        if let end { self.end.fulfill(end) }
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
        let transfer = transfer(of: dataTask)
        if let response = response as? HTTPURLResponse { transfer?.receive(response.head) }
        completionHandler(.allow)
        endUnlessWanted(dataTask, transfer)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let transfer = transfer(of: dataTask)
        transfer?.receive(data)
        endUnlessWanted(dataTask, transfer)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        endUnlessWanted(task, transfer(of: task))
    }

    /// Cancels the session's task if no caller waits for it, so that an abandoned upload isn't completed later.
    ///
    /// The task is cancelled here, during an event of the transfer, instead of when the caller stops waiting. On Linux,
    /// cancelling it in a cancellation handler can deadlock, and cancelling a transfer that has just ended can trap.
    private func endUnlessWanted(_ task: URLSessionTask, _ transfer: Transfer?) {
        guard let transfer, transfer.isToBeEnded() else { return }
        Self.endings.async { task.cancel() }
    }

    /// The queue for `cancel`, which on Linux blocks until libcurl is idle.
    ///
    /// On the delegate's queue, events would pile up.
    private static let endings = DispatchQueue(label: "HTTPErrors.TransferDelegate.endings")

    /// Doesn't follow redirects: the client does, in the same way for every transport.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
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
            // Complete the transfer: on Linux the challenge comes after the whole response, and the task then waits to
            // be cancelled.
            transfer(of: task)?.complete(nil)
            Self.endings.async { completionHandler(.rejectProtectionSpace, nil) }
        #else
            completionHandler(.performDefaultHandling, nil)
        #endif
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let transfer = transfers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        // On Linux the head of a redirect without a target is available only here.
        if let response = task.response as? HTTPURLResponse { transfer?.receiveAtEnd(response.head) }
        transfer?.complete(error)
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
