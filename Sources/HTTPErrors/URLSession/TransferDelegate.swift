import Dispatch
import ErrorRouting
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A session delegate that forwards each event to its transfer.
final class TransferDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let transfers = Locked<[Int: Transfer]>([:])
    private let onChallenge: URLSessionHTTPTransport.ChallengeHandler?

    /// Creates a delegate that answers challenges with `onChallenge`.
    init(onChallenge: URLSessionHTTPTransport.ChallengeHandler?) {
        self.onChallenge = onChallenge
    }

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

    /// Answers a challenge with the transport's handler.
    ///
    /// If there is no handler, it doesn't provide credentials, so the result is the response that contains the
    /// challenge.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let transfer = transfer(of: task)
        guard let onChallenge else { return Self.answer(.performDefaultHandling, nil, transfer, completionHandler) }
        Task {
            let (disposition, credential) = await onChallenge(challenge)
            Self.answer(disposition, credential, transfer, completionHandler)
        }
    }

    /// Answers a challenge.
    ///
    /// On Linux, a challenge arrives after the whole response, and default handling doesn't exist: a challenge without
    /// a credential would never complete. So the transfer ends with the response, or with an error, which cancels the
    /// task.
    private static func answer(
        _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?, _ transfer: Transfer?,
        _ completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard isOnLinux else { return completionHandler(disposition, credential) }
        switch disposition {
        case .useCredential where credential != nil:
            // Continue on this queue, and only if the transfer isn't being cancelled there, because Foundation would
            // trap.
            Transfer.calls.async {
                if transfer?.isWanted == true { completionHandler(disposition, credential) }
            }
        case .cancelAuthenticationChallenge: transfer?.complete(URLError(.cancelled))
        default: transfer?.complete(nil)
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let transfer = transfers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        transfer?.forgetTask()
        // On Linux, the head of a redirect without a target is available only here.
        if let response = task.response as? HTTPURLResponse { transfer?.receiveAtEnd(response.head) }
        transfer?.complete(error)
    }
}

extension HTTPURLResponse {
    /// The head of the response, with an empty body.
    fileprivate var head: TransportResponse {
        var headers = HTTPHeaders()
        for (name, value) in allHeaderFields.map({ ("\($0.key)", "\($0.value)") }) {
            // Foundation joins cookies with commas, which also occur in cookie dates.
            let isCookie = name.lowercased() == "set-cookie"
            let values = isCookie ? value.split(separator: /, (?=[^;,= ]+=)/).map(String.init) : [value]
            for value in values { headers.append(value, for: name) }
        }
        return TransportResponse(status: statusCode, headers: headers)
    }
}

#if canImport(FoundationNetworking)
    private let isOnLinux = true
#else
    private let isOnLinux = false
#endif
