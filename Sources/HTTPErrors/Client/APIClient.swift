public import ErrorRecovery
public import ErrorRouting
public import Foundation

/// Sends requests to a service, and turns all that can go wrong into one ``NetworkError``.
///
/// ```swift
/// let client = APIClient(base: url, retry: .default)
/// let user = try await client.send(GetUser(id: 17))
/// ```
///
/// What is sent again, and when, is for a `RetryPolicy`'s rules to say, but for this: what is not idempotent by RFC
/// 9110 and carries no `Idempotency-Key` is sent again only if the server has certainly not seen it, or has said 429.
/// An order is never sent twice.
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
    /// The policy for what must not be sent twice.
    let cautiousRetry: RetryPolicy?
    private let clock: any Clock<Duration>

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - base: What the paths of requests are below; http or https.
    ///   - transport: What sends the requests.
    ///   - retry: Which errors are worth another attempt; nil for none.
    ///   - errors: Where errors are posted that nobody gets: of attempts that are followed by another, and of a refresh
    ///     of the token that failed.
    ///   - token: What says who asks; sent as `Authorization` where a request has none of its own.
    ///   - interceptors: Who sees each request and each answer, in this order.
    ///   - clock: Measures the delays between attempts; a test clock in tests.
    ///   - encoder: Encodes the bodies of requests.
    ///   - decoder: Decodes the bodies of answers.
    ///   - serviceError: Makes the service's own error of an answer that is no success; nil where it is none of its
    ///     own, and the status says it all. It is thrown as ``NetworkError/api(_:_:)``.
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

    /// Sends a request, and returns what it asks for.
    ///
    /// A cancelled task gets ``NetworkError/cancelled`` at once.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - fileID: Where errors of attempts that are followed by another are said to be posted.
    ///   - line: Where they are said to be posted.
    /// - Returns: What the service answers.
    /// - Throws: What went wrong at the last attempt.
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
        // A constant of its own: Swift 6.3.1 does not open a property's value here.
        let clock = clock
        return try await attempts(request, message, source, policy, clock)
    }

    /// Opens the clock: what measures time is of one type in `retry`.
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
        // Who asks is not known: that is the token's affair, and none of the service's.
        if failure.status == 401, token != nil { return .unauthorized(failure) }
        if let error = serviceError?(failure) { return .api(error, failure) }
        return NetworkError(failure)
    }
}

extension RetryPolicy {
    /// The policy for what must not be sent twice.
    fileprivate func cautious(_ transport: any HTTPTransport) -> RetryPolicy {
        let repeats = transport.repeatsByItself
        let isSeen = ErrorMatcher.type(NetworkError.self)
            .where { repeats || !($0.neverReachedServer || $0.failure?.status == 429) }
            .named("NetworkError after which the server may have seen what must not be sent twice")
        return failing(matching: isSeen)
    }
}

/// Sees each request before it is sent, and each answer before it is judged.
///
/// What it throws ends the request: a ``NetworkError`` as it is; of `prepare` another error as
/// ``NetworkError/unknown(_:)``, and of `inspect` as ``NetworkError/api(_:_:)``: there a service's own error is made of
/// an answer.
public protocol HTTPInterceptor: Sendable {
    /// Changes a request before it is sent; called for each attempt anew.
    ///
    /// - Parameter message: The request, with its token.
    func prepare(_ message: inout HTTPMessage) async throws

    /// Looks at an answer, or changes it; called for each that comes, whatever its status.
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
