public import ErrorRecovery
public import ErrorRouting
public import Foundation

/// A client that sends requests to a service and turns every failure into a ``NetworkError``.
///
/// ```swift
/// let client = APIClient(base: url, transport: transport, retry: .default)
/// let user = try await client.send(GetUser(id: 17))
/// ```
///
/// A `RetryPolicy` decides by its rules which requests are sent again, with one exception. A request that isn't
/// idempotent according to RFC 9110 and doesn't have an ``APIRequest/idempotencyKey`` is sent again only after a 429,
/// or if the server has certainly not received it. Any request is sent again with a new token if the server refuses the
/// client's token. The errors carry this decision (``NetworkError/mayBeSentAgain``), so a `retry` around `send` obeys
/// it too.
///
/// The client follows at most twenty redirects, all within the request's time limit. If the request doesn't have a
/// limit, the transport's limit applies to each redirect. A 307 or 308 repeats the method and the body. A 303 turns
/// every request into a GET, and a 301 or 302 turns a POST into a GET. If a redirected request isn't idempotent, the
/// client never sends it again after an error. Another origin (scheme, host, or port) receives only `User-Agent`,
/// `Idempotency-Key`, and the header fields that describe the body and the accepted responses, because any other field
/// might be a secret. The client doesn't follow a redirect from https to http: it throws an error of kind `http`.
public struct APIClient: Sendable {
    let base: URL
    let transport: any HTTPTransport
    let errors: any ErrorPosting
    let token: TokenKeeper?
    let interceptors: [any HTTPInterceptor]
    let serviceError: (@Sendable (HTTPFailure) -> (any Error)?)?
    let encoder: JSONEncoder
    let decoder: JSONDecoder

    let retry: RetryPolicy?
    private let clock: any Clock<Duration>

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - base: The http or https URL to which the paths of requests are appended.
    ///   - transport: The transport that sends the requests.
    ///   - retry: The policy for further attempts; nil for a single attempt.
    ///   - errors: Where to post errors that no caller receives: errors of attempts that are retried, and errors of
    ///     failed token refreshes.
    ///   - token: The token to send as `Authorization`, unless the request already contains this field or doesn't use
    ///     the token (``APIRequest/usesToken``).
    ///   - interceptors: The interceptors to call for each request and each response, in this order.
    ///   - clock: The clock for the delays between attempts; a test clock in tests.
    ///   - encoder: Encodes request bodies.
    ///   - decoder: Decodes response bodies.
    ///   - serviceError: Creates the service's own error for a response that isn't a success. The client throws that
    ///     error as the cause of a ``NetworkError`` of kind `service`. If the closure returns nil, the status
    ///     determines the error. The closure isn't called for a response that refuses the client's token.
    public init(
        base: URL,
        transport: any HTTPTransport,
        retry: RetryPolicy? = nil,
        errors: any ErrorPosting = .ambient,
        token: BearerToken? = nil,
        interceptors: [any HTTPInterceptor] = [],
        clock: any Clock<Duration> = ContinuousClock(),
        encoder: JSONEncoder = JSONEncoder(),
        decoder: JSONDecoder = JSONDecoder(),
        serviceError: (@Sendable (HTTPFailure) -> (any Error)?)? = nil
    ) {
        self.base = base
        self.transport = transport
        self.retry = retry
        self.errors = errors
        self.token = token?.keeper
        self.interceptors = interceptors
        self.clock = clock
        self.encoder = encoder
        self.decoder = decoder
        self.serviceError = serviceError
    }

    /// Creates a client that sends its requests with its own ``URLSessionHTTPTransport``.
    ///
    /// This initializer isn't available on Linux, where you must pass a transport.
    ///
    /// - Parameters:
    ///   - base: The http or https URL to which the paths of requests are appended.
    ///   - retry: The policy for further attempts; nil for a single attempt.
    ///   - errors: Where to post errors that no caller receives: errors of attempts that are retried, and errors of
    ///     failed token refreshes.
    ///   - token: The token to send as `Authorization`, unless the request already contains this field or doesn't use
    ///     the token (``APIRequest/usesToken``).
    ///   - interceptors: The interceptors to call for each request and each response, in this order.
    ///   - clock: The clock for the delays between attempts; a test clock in tests.
    ///   - encoder: Encodes request bodies.
    ///   - decoder: Decodes response bodies.
    ///   - serviceError: Creates the service's own error for a response that isn't a success. The client throws that
    ///     error as the cause of a ``NetworkError`` of kind `service`. If the closure returns nil, the status
    ///     determines the error. The closure isn't called for a response that refuses the client's token.
    #if canImport(FoundationNetworking)
        @available(
            *, unavailable,
            message: """
                name a transport: on a Linux server .asyncHTTPClient(_:), of the package's adapters; \
                .urlSession() for a tool, since some responses stop the process inside URLSession there
                """
        )
    #endif
    public init(
        base: URL,
        retry: RetryPolicy? = nil, errors: any ErrorPosting = .ambient, token: BearerToken? = nil,
        interceptors: [any HTTPInterceptor] = [], clock: any Clock<Duration> = ContinuousClock(),
        encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder(),
        serviceError: (@Sendable (HTTPFailure) -> (any Error)?)? = nil
    ) {
        self.init(
            base: base, transport: .urlSession(), retry: retry, errors: errors, token: token,
            interceptors: interceptors, clock: clock, encoder: encoder, decoder: decoder, serviceError: serviceError)
    }

    /// Sends a request and returns its decoded response.
    ///
    /// If the task is already cancelled, the method immediately throws an error of kind `cancelled`.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - fileID: The file that posted errors name as their source.
    ///   - line: The line that posted errors name as their source.
    /// - Returns: The decoded response.
    /// - Throws: The error of the last attempt.
    public func send<R: APIRequest>(
        _ request: R, fileID: String = #fileID, line: UInt = #line
    ) async throws(NetworkError) -> R.Response {
        try await response(for: request, fileID: fileID, line: line).value
    }

    /// Sends a request and returns its decoded response with the status and header fields.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - fileID: The file that posted errors name as their source.
    ///   - line: The line that posted errors name as their source.
    /// - Returns: The decoded response, its status (from 200 to 299), and its header fields.
    /// - Throws: The error of the last attempt.
    public func response<R: APIRequest>(
        for request: R, fileID: String = #fileID, line: UInt = #line
    ) async throws(NetworkError) -> (value: R.Response, status: Int, headers: HTTPHeaders) {
        let message: TransportRequest
        do { message = try self.message(for: request) } catch { throw error.of(request, below: base) }
        let source = ErrorReport.Source(fileID: fileID, line: line)
        do throws(NetworkError) {
            guard let retry else { return try await attempt(request, message, source) }
            // Copy the clock to a local constant: Swift 6.3.1 doesn't open the existential of a property here.
            let clock = clock
            return try await attempts(request, message, source, retry, clock)
        } catch {
            var error = error.of(request, below: base)
            // Forbid another call, because a `retry` around this call might send a different key.
            if error.dependsOnKey { error.mayBeSentAgain = false }
            // Keep the last attempt's error as the cause, because it might not be a cancellation.
            guard Task.isCancelled, !error.isCancellation else { throw error }
            throw NetworkError(.cancelled, cause: error, mayBeSentAgain: error.mayBeSentAgain)
                .of(request, below: base)
        }
    }

    /// Runs the attempts with the clock's concrete type, which `retry` requires.
    private func attempts<R: APIRequest>(
        _ request: R,
        _ message: TransportRequest,
        _ source: ErrorReport.Source,
        _ policy: RetryPolicy,
        _ clock: some Clock<Duration>
    ) async throws(NetworkError) -> (value: R.Response, status: Int, headers: HTTPHeaders) {
        try await ErrorRecovery.retry(
            policy, clock: clock, errors: errors,
            metadata: ["http.request": message.description], fileID: source.fileID, line: source.line
        ) { (_: Int) async throws(NetworkError) in
            try await attempt(request, message, source)
        }
    }

    private func attempt<R: APIRequest>(
        _ request: R, _ message: TransportRequest, _ source: ErrorReport.Source
    ) async throws(NetworkError) -> (value: R.Response, status: Int, headers: HTTPHeaders) {
        var chain = RedirectChain(message)
        do throws(NetworkError) {
            let (response, isTokenRefused) = try await exchange(message, of: request, &chain, source)
            guard (200...299).contains(response.status) else {
                // Don't call `serviceError` for a refused token: it isn't the service's own error.
                throw error(of: HTTPFailure(response), isOwn: !isTokenRefused)
            }
            return (try decode(response, to: chain.request, as: request), response.status, response.headers)
        } catch {
            throw error.of(request, below: base).hiding(message.basePath).afterSending(
                message, key: request.idempotencyKey, repeats: transport.repeatsByItself,
                isProcessed: chain.isProcessed)
        }
    }

    private func error(of failure: HTTPFailure, isOwn: Bool) -> NetworkError {
        guard isOwn, let error = serviceError?(failure) else { return NetworkError(failure) }
        return NetworkError(.service, cause: error, failure: failure)
    }
}

extension APIClient: SecretHolding {
    /// The base URL as errors show it: without its user, path, and query.
    var shownBase: String { base.withoutSecrets(below: base.basePath) }
}

/// A type that receives each request before it is sent and each response before its status is checked.
///
/// If an interceptor throws, the attempt fails. A ``NetworkError`` is thrown unchanged, and a cancellation becomes an
/// error of kind `cancelled`. Any other error that `inspect` throws counts as the service's own error: it becomes the
/// cause of an error of kind `service`. An error that `prepare` throws is converted like a transport's error; see
/// ``HTTPTransport``.
public protocol HTTPInterceptor: Sendable {
    /// Changes a request before it is sent. The client calls it for each attempt.
    ///
    /// Its time counts toward the request's time limit. The limit doesn't interrupt it, so give anything that waits
    /// here its own limit.
    ///
    /// Whether the request may be sent again depends on its method and headers before this change.
    ///
    /// - Parameter request: The request, including its token.
    func prepare(_ request: inout TransportRequest) async throws

    /// Inspects or changes a response. The client calls it for every response, regardless of the status.
    ///
    /// - Parameters:
    ///   - response: The response, which the client processes after all interceptors.
    ///   - request: The request as it was sent.
    func inspect(_ response: inout TransportResponse, to request: TransportRequest) async throws
}

extension HTTPInterceptor {
    /// Changes nothing.
    public func prepare(_ request: inout TransportRequest) async throws {}

    /// Changes nothing.
    public func inspect(_ response: inout TransportResponse, to request: TransportRequest) async throws {}
}
