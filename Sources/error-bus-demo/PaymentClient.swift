import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Posts orders to the payment endpoint.
struct PaymentClient: Sendable {
    /// Nobody listens at port 1, so that URLSession's own errors occur.
    static let closedEndpoint = URL(string: "http://127.0.0.1:1/payments")!

    /// How many seconds an endpoint may be silent.
    static let timeLimit = 5.0

    let endpoint: URL
    private let session: Session

    init(endpoint: URL) {
        self.endpoint = endpoint
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = Self.timeLimit
        // However slowly the answer drips: a transfer that nobody waits for any more ends too, see `status(of:)`.
        configuration.timeoutIntervalForResource = 2 * Self.timeLimit
        // Nothing of a payment is to be kept, and least of all on disk.
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        session = Session(configuration)
        Self.bypassProxy(for: endpoint)
    }

    /// Keeps requests to this machine on this machine: where there is an `http_proxy`, curl would ask it for these too,
    /// and what it answers would hide the errors that are to be seen here.
    private static func bypassProxy(for endpoint: URL) {
        #if canImport(FoundationNetworking)
            guard let host = endpoint.host(), ["127.0.0.1", "localhost", "::1"].contains(host) else { return }
            let bypassed = ProcessInfo.processInfo.environment["no_proxy"].map { "\($0),\(host)" } ?? host
            unsafe setenv("no_proxy", bypassed, 1)
        #endif
    }

    /// Charges an order: posts it, and throws unless the answer is a success.
    func charge(_ order: Order) async throws {
        var request = URLRequest(url: endpoint)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        // The endpoint may have charged an order whose answer was lost; with this it knows the second attempt.
        request.setValue(order.id, forHTTPHeaderField: "Idempotency-Key")
        request.httpBody = try JSONEncoder().encode(Charge(order: order.id, amountInCents: order.totalInCents))
        try Self.check(status: try await status(of: request))
    }

    /// Sends a request, and returns the status of the answer; or throws, at once if the task is cancelled.
    ///
    /// Not by `data(for:)`, which cancels the transfer together with the task: on Linux that may deadlock, and a
    /// transfer that is cancelled while it ends may trap. Here the caller goes on, and the transfer ends by itself,
    /// within the session's time-outs or with the process; what comes of it then nobody hears. So it would be without a
    /// cancellation, too, if the answer were lost: whether an order is charged, its `Idempotency-Key` tells.
    private func status(of request: URLRequest) async throws -> Int {
        let reply = Reply()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // For a task that is cancelled already nothing is sent.
                guard reply.resumes(continuation) else { return }
                session.send(request) { _, response, error in
                    let status = (response as? HTTPURLResponse)?.statusCode
                    reply.arrive(error.map { .failure($0) } ?? status.map { .success($0) } ?? .noAnswer)
                }
            }
        } onCancel: {
            reply.arrive(.failure(URLError(.cancelled)))
        }
    }

    /// Throws unless an answer is a success.
    static func check(status: Int) throws(PaymentRejected) {
        guard (200...299).contains(status) else { throw PaymentRejected(status: status) }
    }

    /// Lets the session go, once nothing is under way.
    func close() {
        session.close()
    }

    private struct Charge: Encodable {
        let order: String
        let amountInCents: Int
    }
}

/// A session that may be closed while somebody is about to send: Foundation's traps then.
private final class Session: Sendable {
    private let session: URLSession
    private let isClosed = Mutex(false)

    init(_ configuration: URLSessionConfiguration) {
        session = URLSession(configuration: configuration)
    }

    func send(_ request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void) {
        let transfer = isClosed.withLock { isClosed in
            isClosed ? nil : session.dataTask(with: request, completionHandler: completion)
        }
        guard let transfer else { return completion(nil, nil, URLError(.cancelled)) }
        transfer.resume()
    }

    /// Sends no more; what is under way ends by itself.
    func close() {
        isClosed.withLock { isClosed in
            if !isClosed { session.finishTasksAndInvalidate() }
            isClosed = true
        }
    }
}

/// What becomes of a request: an answer, an error or a cancellation, whichever comes first.
private final class Reply: Sendable {
    typealias Status = Result<Int, any Error>

    private enum State {
        case open
        case awaited(CheckedContinuation<Int, any Error>)
        case arrived(Status)
        case done
    }

    private let state = Mutex(State.open)

    /// Resumes a continuation with what arrives first.
    ///
    /// - Returns: Whether that is still to come.
    func resumes(_ continuation: CheckedContinuation<Int, any Error>) -> Bool {
        let early: Status? = state.withLock { state in
            if case .arrived(let status) = state {
                state = .done
                return status
            }
            state = .awaited(continuation)
            return nil
        }
        if let early { continuation.resume(with: early) }
        return early == nil
    }

    func arrive(_ status: Status) {
        let continuation: CheckedContinuation<Int, any Error>? = state.withLock { state in
            switch state {
            case .open:
                state = .arrived(status)
                return nil
            case .awaited(let continuation):
                state = .done
                return continuation
            case .arrived, .done:
                return nil
            }
        }
        continuation?.resume(with: status)
    }
}

extension Result where Success == Int, Failure == any Error {
    fileprivate static var noAnswer: Self { .failure(URLError(.badServerResponse)) }
}

/// The payment endpoint answered, and said no.
struct PaymentRejected: Error, Equatable {
    /// The HTTP status.
    let status: Int

    /// Whether a later attempt may succeed: the endpoint is overloaded or out of order.
    var isTemporary: Bool { status == 429 || (500...599).contains(status) }
}
