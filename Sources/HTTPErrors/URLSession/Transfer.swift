import Dispatch
import ErrorRouting
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transfer under way: events go into its machine under a lock, and who waits hears of the end after unlocking.
final class Transfer: Sendable {
    private let machine: Locked<TransferMachine>
    private let end = Promise<TransferMachine.End>()
    private let isEnding = Atomic(false)

    init(bodyLimit: Int) {
        machine = Locked(TransferMachine(bodyLimit: bodyLimit))
    }

    /// Whether nobody waits for it any more; true once.
    func isToBeEnded() -> Bool {
        guard !machine.withLock({ $0.isWanted }) else { return false }
        return !isEnding.exchange(true, ordering: .relaxed)
    }

    func receive(_ head: HTTPAnswer) { machine.withLock { $0.receive(head) } }

    func receiveAtEnd(_ head: HTTPAnswer) { machine.withLock { $0.receiveAtEnd(head) } }

    func receive(_ data: Data) { settle(machine.withLock { $0.receive(data) }) }

    func complete(_ error: (any Error)?) { settle(machine.withLock { $0.complete(error) }) }

    func abandon(_ error: any Error) { settle(machine.withLock { $0.abandon(error) }) }

    private func settle(_ end: TransferMachine.End?) {
        if let end { self.end.fulfill(end) }
    }

    /// Waits for the end; in a cancelled task that is at once.
    ///
    /// - Parameter limit: How long at most.
    func answer(within limit: Duration) async throws -> HTTPAnswer {
        // Not a task that sleeps: cancelled, it stays in memory until its time all the same.
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + limit / .seconds(1))
        timer.setEventHandler { [self] in abandon(URLError(.timedOut)) }
        timer.activate()
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await end.value.get()
        } onCancel: {
            abandon(CancellationError())
        }
    }
}

/// What a session tells of its transfers goes to each of them.
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
        if let response = response as? HTTPURLResponse { transfer(of: dataTask)?.receive(response.answer) }
        completionHandler(.allow)
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

    /// Ends a transfer that nobody waits for, so that an upload that was given up is not completed later.
    ///
    /// Here, while it is under way, and not where it is given up: on Linux, cancelling in a task's cancellation handler
    /// can deadlock, and a transfer that has just ended can trap.
    private func endUnlessWanted(_ task: URLSessionTask, _ transfer: Transfer?) {
        guard let transfer, transfer.isToBeEnded() else { return }
        Self.endings.async { task.cancel() }
    }

    /// On Linux cancelling waits for all that libcurl has to do; meanwhile what comes in would pile up.
    private static let endings = DispatchQueue(label: "HTTPErrors.TransferDelegate.endings")

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        var request = request
        // Who is redirected to another server shall not tell it what the first one may know.
        if let from = response.url, let to = request.url, !from.hasSameOrigin(as: to) {
            for name in ["Authorization", "Cookie", "Proxy-Authorization"] {
                request.setValue(nil, forHTTPHeaderField: name)
            }
        }
        completionHandler(request)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let transfer = transfers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        // Of a redirect to nowhere Linux tells only here.
        if let response = task.response as? HTTPURLResponse { transfer?.receiveAtEnd(response.answer) }
        transfer?.complete(error)
    }
}

extension HTTPURLResponse {
    /// The head of an answer, whose body is to come.
    fileprivate var answer: HTTPAnswer {
        HTTPAnswer(status: statusCode, headers: HTTPHeaders(allHeaderFields.map { ("\($0.key)", "\($0.value)") }))
    }
}

extension URL {
    func hasSameOrigin(as other: URL) -> Bool {
        func origin(_ url: URL) -> (scheme: String?, host: String?, port: Int?) {
            let scheme = url.scheme?.lowercased()
            return (scheme, url.host()?.lowercased(), url.port ?? (scheme == "https" ? 443 : 80))
        }
        return origin(self) == origin(other)
    }
}
