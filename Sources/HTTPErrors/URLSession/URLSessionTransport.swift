import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Sends requests by `URLSession`.
///
/// It keeps no cookies, caches or credentials, and follows redirects; what it is redirected to on another server gets
/// no `Authorization` and no cookies. A request is sent once: on Linux, where libcurl sends a request again by itself
/// if a connection that was kept alive drops, whatever has an effect goes over a connection of its own.
///
/// Who is cancelled, or whose time is up, goes on at once. The transfer ends by itself on Linux, where cancelling it
/// can bring down the process: when its next bytes move, or once none have moved for `transferLimit`, or for the
/// request's own time limit where that is shorter. Its connection ends with it. Nobody waits for it, and others need
/// not either: each has a connection.
public final class URLSessionTransport: HTTPTransport {
    private let timeout: Duration
    private let transferLimit: Duration
    private let bodyLimit: Int
    private let configuration: URLSessionConfiguration
    private let session: URLSession
    private let delegate = TransferDelegate()

    /// Makes a transport with a session of its own.
    ///
    /// - Parameters:
    ///   - timeout: How long a request may take that says nothing of its own, from its beginning to the last byte of
    ///     the answer.
    ///   - bodyLimit: How many bytes of a body are kept; more are an error.
    ///   - transferLimit: How long a transfer goes on that nobody waits for any more. No request may take longer; on
    ///     Linux none may be silent for longer.
    ///   - configuration: What the session begins with; caches, cookies and credentials are taken out of it.
    public init(
        timeout: Duration = .seconds(60),
        bodyLimit: Int = 1 << 20,
        transferLimit: Duration = .seconds(60),
        configuration: URLSessionConfiguration = .ephemeral
    ) {
        if timeout <= .zero { fatalError("URLSessionTransport: timeout must be positive, but is \(timeout)") }
        if bodyLimit < 0 { fatalError("URLSessionTransport: bodyLimit must not be negative, but is \(bodyLimit)") }
        if transferLimit <= .zero {
            fatalError("URLSessionTransport: transferLimit must be positive, but is \(transferLimit)")
        }
        self.timeout = timeout
        self.transferLimit = min(transferLimit, Self.longest)
        self.bodyLimit = bodyLimit
        // A copy is not of the type that it is a copy of, as far as the compiler knows.
        let own = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
        own.timeoutIntervalForResource = self.transferLimit / .seconds(1)
        // One that nobody waits for must not keep others from a connection.
        own.httpMaximumConnectionsPerHost = 10_000
        own.urlCache = nil
        own.httpCookieStorage = nil
        own.httpShouldSetCookies = false
        own.urlCredentialStorage = nil
        self.configuration = own
        session = URLSession(configuration: own, delegate: delegate, delegateQueue: nil)
    }

    /// A year, which is as good as for ever: Linux counts in milliseconds, and traps where those are too many.
    private static let longest = Duration.seconds(365 * 86_400)

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request, and returns the answer with its whole body.
    ///
    /// - Parameter message: The request.
    /// - Returns: The answer.
    /// - Throws: `CancellationError` where the task is cancelled, ``NetworkError/bodyTooLarge(limit:)``, or a
    ///   `URLError` whose code is the same on all platforms.
    public func send(_ message: HTTPMessage) async throws -> HTTPAnswer {
        try Task.checkCancellation()
        let limit = min(message.timeout ?? timeout, Self.longest)
        let transfer = Transfer(bodyLimit: bodyLimit)
        start(transfer, request(for: message, within: limit), alone: message.needsOwnConnection)
        do {
            return try await transfer.answer(within: limit)
        } catch let error as URLError {
            throw error.evenedOut(for: message.url)
        }
    }

    private func start(_ transfer: Transfer, _ request: URLRequest, alone: Bool) {
        guard alone else {
            let task = session.dataTask(with: request)
            delegate.add(transfer, for: task)
            return task.resume()
        }
        let delegate = TransferDelegate()
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        let task = session.dataTask(with: request)
        delegate.add(transfer, for: task)
        task.resume()
        // It ends with its one transfer, and its connection with it.
        session.finishTasksAndInvalidate()
    }

    private func request(for message: HTTPMessage, within limit: Duration) -> URLRequest {
        var request = URLRequest(url: message.url)
        // On Linux this is the only limit, on how long nothing moves. It counts whole seconds there, so it is rounded
        // up: half a second would be none at all. And only this property is heeded, not what an initializer is given.
        request.timeoutInterval = (min(limit, transferLimit) / .seconds(1)).rounded(.up)
        request.httpMethod = message.method
        for (name, value) in message.headers.fields { request.setValue(value, forHTTPHeaderField: name) }
        request.httpBody = message.body
        request.httpShouldHandleCookies = false
        return request
    }
}

extension HTTPMessage {
    /// Whether it must not share a connection with others: libcurl sends a request again when a connection drops that
    /// was used before, and waits for ever where it has a body, which it cannot read twice.
    fileprivate var needsOwnConnection: Bool {
        #if canImport(FoundationNetworking)
            body != nil || !["GET", "HEAD", "OPTIONS", "TRACE"].contains(method)
        #else
            false
        #endif
    }
}

extension URLError {
    /// The error with the code that it has on other platforms.
    ///
    /// On Linux a server that is gone has the code of a bad answer, garbage that of a bad URL, and a failure of TLS and
    /// a truncated answer have none. Nor has an answer that makes no sense: that, libcurl's words alone tell.
    fileprivate func evenedOut(for url: URL) -> URLError {
        #if canImport(FoundationNetworking)
            let isHTTP = ["http", "https"].contains(url.scheme?.lowercased() ?? "")
            switch errorCode {
            case NSURLErrorUnknown where localizedDescription.contains("content unencoding"):
                return URLError(.cannotDecodeContentData, userInfo: errorUserInfo)
            case NSURLErrorUnknown where localizedDescription.contains("Invalid Content-Length"):
                return URLError(.cannotParseResponse, userInfo: errorUserInfo)
            case NSURLErrorBadServerResponse, NSURLErrorUnknown:
                return URLError(.networkConnectionLost, userInfo: errorUserInfo)
            case NSURLErrorUnsupportedURL where isHTTP:
                return URLError(.cannotParseResponse, userInfo: errorUserInfo)
            default:
                return self
            }
        #else
            return self
        #endif
    }
}
