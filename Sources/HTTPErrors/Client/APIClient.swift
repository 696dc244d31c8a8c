public import ErrorRecovery
public import ErrorRouting
public import Foundation

/// A client that sends requests to a service, and turns every failure into a ``NetworkError``.
///
/// ```swift
/// let client = APIClient(base: url, retry: .default)
/// let user = try await client.send(GetUser(id: 17))
/// ```
///
/// A `RetryPolicy`'s rules decide which requests are sent again, with one exception. A request that is not idempotent
/// by RFC 9110 and has no `Idempotency-Key` is sent again only if the server has certainly not received it, or has
/// answered 429. So an order is never sent twice.
public struct APIClient: Sendable {
    let base: URL
    let transport: any HTTPTransport
    let errors: any ErrorPosting
    let token: TokenKeeper?
    let interceptors: [any HTTPInterceptor]
    let serviceError: (@Sendable (HTTPFailure) -> (any Error)?)?
    let encoder: JSONEncoder
    let decoder: JSONDecoder

    private let retry: RetryPolicy?
    /// The policy for requests that must not be sent twice.
    let cautiousRetry: RetryPolicy?
    private let clock: any Clock<Duration>

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - base: The http or https URL to which the paths of requests are appended.
    ///   - transport: The transport that sends the requests.
    ///   - retry: The policy for further attempts; nil for none.
    ///   - errors: Where errors are posted that no caller gets: the errors of attempts that are followed by another,
    ///     and of a failed refresh of the token.
    ///   - token: The token to send as `Authorization`, unless the request has this field already.
    ///   - interceptors: The interceptors that see each request and each answer, in this order.
    ///   - clock: The clock for the delays between attempts; a test clock in tests.
    ///   - encoder: Encodes the bodies of requests.
    ///   - decoder: Decodes the bodies of answers.
    ///   - serviceError: Makes the service's own error from an answer that is not a success, which is thrown as
    ///     ``NetworkError/api(_:_:)``. If it returns nil, the status decides the error.
    public init(
        base: URL,
        transport: any HTTPTransport = URLSessionTransport(),
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
        cautiousRetry = retry?.cautious(transport)
        self.errors = errors
        self.token = token?.keeper
        self.interceptors = interceptors
        self.clock = clock
        self.encoder = encoder
        self.decoder = decoder
        self.serviceError = serviceError
    }

    /// Sends a request, and returns its decoded response.
    ///
    /// A cancelled task gets ``NetworkError/cancelled`` at once.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - fileID: The file that posted errors name as their source.
    ///   - line: The line that posted errors name as their source.
    /// - Returns: The decoded response.
    /// - Throws: The error of the last attempt.
    public func send<R: APIRequest>(
        _ request: R,
        fileID: String = #fileID,
        line: UInt = #line
    ) async throws(NetworkError) -> R.Response {
        let message = try message(for: request)
        let source = ErrorReport.Source(fileID: fileID, line: line)
        guard let policy = message.isIdempotent ? retry : cautiousRetry else {
            return try await attempt(request, message, source)
        }
        // A local constant: Swift 6.3.1 does not open the existential of a property here.
        let clock = clock
        return try await attempts(request, message, source, policy, clock)
    }

    /// Runs the attempts with the clock's concrete type, which `retry` needs.
    private func attempts<R: APIRequest>(
        _ request: R,
        _ message: HTTPMessage,
        _ source: ErrorReport.Source,
        _ policy: RetryPolicy,
        _ clock: some Clock<Duration>
    ) async throws(NetworkError) -> R.Response {
        try await ErrorRecovery.retry(
            policy, clock: clock, reporting: .retriedAttempts, to: errors,
            metadata: ["http.request": message.description], fileID: source.fileID, line: source.line
        ) { (_: Int) async throws(NetworkError) in
            try await attempt(request, message, source)
        }
    }

    private func attempt<R: APIRequest>(
        _ request: R,
        _ message: HTTPMessage,
        _ source: ErrorReport.Source
    ) async throws(NetworkError) -> R.Response {
        let (answer, sent) = try await exchange(message, source)
        guard (200...299).contains(answer.status) else { throw error(of: answer) }
        return try decode(answer, to: sent, as: request)
    }

    private func error(of answer: HTTPAnswer) -> NetworkError {
        let failure = HTTPFailure(answer)
        // With a token, 401 means that the token is refused, which is not the service's own error.
        if failure.status == 401, token != nil { return .unauthorized(failure) }
        if let error = serviceError?(failure) { return .api(error, failure) }
        return NetworkError(failure)
    }
}

extension RetryPolicy {
    /// Returns the policy for requests that must not be sent twice.
    fileprivate func cautious(_ transport: any HTTPTransport) -> RetryPolicy {
        let repeats = transport.repeatsByItself
        let isSeen = ErrorMatcher.type(NetworkError.self)
            .where { repeats || !($0.neverReachedServer || $0.failure?.status == 429) }
            .named("NetworkError after which the server may have seen what must not be sent twice")
        return failing(matching: isSeen)
    }
}

/// A type that sees each request before it is sent, and each answer before its status is checked.
///
/// An error that it throws ends the attempt. A ``NetworkError`` is thrown as it is, and a cancellation as
/// ``NetworkError/cancelled``. Any other error of `inspect` is taken for the service's own, and thrown as
/// ``NetworkError/api(_:_:)``. An error of `prepare` is mapped as an error of the transport; see ``HTTPTransport``.
public protocol HTTPInterceptor: Sendable {
    /// Changes a request before it is sent; called for each attempt.
    ///
    /// - Parameter message: The request, with its token.
    func prepare(_ message: inout HTTPMessage) async throws

    /// Inspects or changes an answer; called for every answer, whatever its status.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - message: The request, as it was sent.
    func inspect(_ answer: inout HTTPAnswer, to message: HTTPMessage) async throws
}

extension HTTPInterceptor {
    /// Changes nothing.
    public func prepare(_ message: inout HTTPMessage) async throws {}

    /// Changes nothing.
    public func inspect(_ answer: inout HTTPAnswer, to message: HTTPMessage) async throws {}
}
