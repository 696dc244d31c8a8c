public import ErrorRouting
import ErrorRoutingTracing
public import HTTPErrors
public import Hummingbird
import Logging
import ServiceLifecycle
import Synchronization

/// The middleware that turns each error of a request into a response and a report.
///
/// Add it directly inside `TracingMiddleware`, so that the span is still open when it records an error, and outside all
/// code that throws:
///
/// ```swift
/// router.addMiddleware {
///     MetricsMiddleware()                 // counts the status that the client gets
///     TracingMiddleware()                 // its span is open until the body is written
///     ErrorReportingMiddleware(problems)  // turns errors into responses
///     …                                   // everything that throws
/// }
/// ```
///
/// While a request is handled or its response's body is written, all posts are in a scope of the request's kind with
/// this metadata:
///
/// - `hb.request.id`, as in Hummingbird's own log entries, if the request's logger has it.
/// - `http.request.method`, which is `_OTHER` for an unknown one.
/// - `http.route`, if there is one.
/// - `url.path`, without the query, in at most 256 bytes.
///
/// | event | response | reported | span |
/// | --- | --- | --- | --- |
/// | your error | as `problems` says; 500 unless its status is 400 to 599 | yes | error; failed from 500 on |
/// | `HTTPError`, or any `HTTPResponseError`, below 500 | its own | no | nothing |
/// | the same from 500 on | its own | yes | error; failed |
/// | either of these two, with a rule in `problems` | as `problems` says | yes | error; failed from 500 on |
/// | a route returns a response | that response | no: nothing was thrown | failed from 500 on |
/// | the response's body breaks off | the status was already sent | yes | error; failed from 500 on |
/// | ``ClientDisconnected`` | 499, or 400 for ``ClientDisconnected/malformed(_:)`` | yes; ignored | error |
/// | ``UpstreamError`` | 502, or 504 for ``UpstreamError/timeout(_:_:)`` | yes | error; failed |
/// | the request is cancelled, also while its head is written | 503 | ``RequestCancelled``, a notice | error; failed |
/// | a cancellation during a graceful shutdown | 503 | ``RequestCancelled``, a notice | error; failed |
/// | an unrequested cancellation, such as a subtask's | as `problems` says | yes | error; failed from 500 on |
///
/// If `problems` has a rule for an error with its own response, the fields of that response stay, such as
/// `WWW-Authenticate` and `Retry-After`, but not those that describe its body. `fields` adds others.
///
/// `CORSMiddleware` wraps each error of a browser's request to add fields to the response. Such an error counts as the
/// wrapped one in your rules, in `problems`, and in the report, and the response has the added fields. A response to
/// HEAD, and one with the status 204, 205, or 304, is sent without its body.
///
/// The source of a report is the route: `ErrorRoutingHummingbird/orders/{id}`, without a line. So the report's
/// fingerprint consists of the route, the error's type, and its case or code. The source of an ``UpstreamError`` is the
/// file and line that called `upstream`.
///
/// A rule in `problems` changes the last five responses. Two rules follow yours: one ignores ``ClientDisconnected``,
/// the other handles ``RequestCancelled``, so that neither alerts anyone.
///
/// If a middleware is inside another one, as for a group of routes, it answers with its own `problems`. The outer one
/// reports errors that break the bodies.
public struct ErrorReportingMiddleware<Context: RequestContext>: RouterMiddleware {
    private let problems: ErrorMap<ProblemDetails>
    private let fields: ErrorMap<HTTPFields>
    private let kind: @Sendable (Request) -> String

    /// Creates the middleware.
    ///
    /// - Parameters:
    ///   - problems: The response to a request that fails. The default should reveal nothing about the internals.
    ///   - fields: Fields to add to the response, such as `Retry-After`. They replace fields of the same name that the
    ///     error's own response has. Fields that describe the body, such as `Content-Type`, aren't added.
    ///   - kind: The kind of a request without a route, as in a proxy, such as the first part of its path. It names the
    ///     scope, which separates failures for a flood limit, so it must have few values. A `RouterBuilder` finds the
    ///     route only after this middleware has begun.
    public init(
        _ problems: ErrorMap<ProblemDetails> = ErrorMap(default: ProblemDetails(title: "Internal error", status: 500)),
        fields: ErrorMap<HTTPFields> = ErrorMap(default: [:]),
        kind: @escaping @Sendable (Request) -> String = { _ in "no route" }
    ) {
        self.problems = problems
        self.fields = fields
        self.kind = kind
    }

    /// Handles a request in its scope.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: Its context.
    ///   - next: The next handler.
    /// - Returns: The response, including the response to an error.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async -> Response {
        let kind = context.endpointPath ?? kind(request)
        let metadata = Self.metadata(of: request, context)
        return await withErrorScope(kind, handler: .requests, order: .rootFirst, metadata: metadata) { scope in
            let reporter = Reporter(problems: problems, fields: fields, scope: scope, trace: .current, kind: kind)
            do {
                if Reporter.hasOuterMiddleware { return try await next(request, context) }
                var request = request
                request.body = RequestBody(asyncSequence: ClientBody(body: request.body))
                var response = try await Reporter.$hasOuterMiddleware.withValue(true) {
                    try await next(request, context)
                }
                if response.status.code >= 500 { reporter.trace.fail() }
                response.body = reporter.reporting(response.body)
                return response
            } catch {
                return reporter.response(to: error, request, context)
            }
        }
    }

    private static func metadata(of request: Request, _ context: Context) -> [String: String] {
        var metadata = [
            "http.request.method": request.method.semanticName, "url.path": bounded(request.uri.path),
        ]
        // Don't read `context.id`, which crashes if the logger has no such key, such as swift-log's no-op logger.
        if let id = context.logger[metadataKey: "hb.request.id"] { metadata["hb.request.id"] = "\(id)" }
        if let route = context.endpointPath { metadata["http.route"] = route }
        return metadata
    }

    private static func bounded(_ path: String) -> String {
        path.utf8.count <= 256 ? path : "\(String(decoding: path.utf8.prefix(253), as: UTF8.self))…"
    }
}

extension ErrorHandler {
    /// Handles errors that need no rule of the application.
    fileprivate static let requests = ErrorHandler()
        .expecting(RequestCancelled.self)
        .ignore(ClientDisconnected.self)
}

/// Reports each error of a request once.
private struct Reporter: Sendable {
    /// Whether an outer middleware reports the errors that break the bodies.
    @TaskLocal static var hasOuterMiddleware = false

    let problems: ErrorMap<ProblemDetails>
    let fields: ErrorMap<HTTPFields>
    let scope: ErrorScope
    let trace: RequestTrace
    let kind: String

    /// Reports an error, and returns the response to it.
    func response(to thrown: any Error, _ request: Request, _ context: some RequestContext) -> Response {
        let (error, added) = EditedError.unwrapped(thrown)
        // error-audit: harmless, because an error without a response of its own is answered and reported below
        let own = try? (error as? any HTTPResponseError)?.response(from: request, context: context)
        // An error of Hummingbird has its own response. Without a rule, that response isn't a failure if its status is
        // below 500. Check the status: it might come from another service, and no client can read an invalid or interim
        // status.
        if !Task.isCancelled, problem(for: error) == nil, error is any HTTPResponseError, var response = own,
            (200...599).contains(response.status.code)
        {
            if response.status.code >= 500 { report(error, response.status.code) }
            response.headers.replace(with: fields[error])
            response.headers.add(added)
            return response.sendable(to: request.method)
        }
        let reported = reportable(error)
        var response = Response(problem(for: reported) ?? problems[reported])
        report(reported, response.status.code)
        response.headers.replace(with: own?.headers ?? [:])
        response.headers.replace(with: fields[reported])
        response.headers.add(added)
        return response.sendable(to: request.method)
    }

    /// Returns a body that reports the errors that break it while it is written.
    ///
    /// The body is written after `handle` has returned, so the scope and the trace are bound again for it.
    func reporting(_ body: ResponseBody) -> ResponseBody {
        let head = Head { trace.bound { scope.bound { report(RequestCancelled(underlyingErrors: []), 503) } } }
        return ResponseBody(contentLength: body.contentLength) { writer in
            head.isWritten = true
            let client = ClientWriter(writer: writer)
            try await trace.bound {
                try await scope.bound { @concurrent () async throws in
                    do { try await body.write(client) } catch {
                        let error = reportable(error)
                        report(error, TransportResponse(problem(for: error) ?? problems[error]).status)
                        throw error
                    }
                }
            }
        }
    }

    /// Returns the error to report.
    ///
    /// In a cancelled request, every error counts as a result of the cancellation, because nothing more is known.
    /// During a graceful shutdown, so does a cancellation.
    private func reportable(_ error: any Error) -> any Error {
        let isCancelled = Task.isCancelled || Task.isShuttingDownGracefully && ErrorMatcher.cancellation ~= error
        return isCancelled ? RequestCancelled(underlyingErrors: [error]) : error
    }

    private func report(_ error: any Error, _ status: some BinaryInteger) {
        scope.post(
            error, as: error is RequestCancelled ? .notice : .failure, metadata: [:],
            source: (error as? UpstreamError)?.source ?? source)
        trace.record(error, isFailed: status >= 500)
    }

    /// The route, as the source of the request's errors.
    ///
    /// A line of this file would be the same for every route, so neither a fingerprint nor a log would show where the
    /// error was thrown.
    private var source: ErrorReport.Source {
        ErrorReport.Source(fileID: "ErrorRoutingHummingbird/\(kind.drop { $0 == "/" })", line: 0)
    }

    private func problem(for error: any Error) -> ProblemDetails? {
        if let problem = problems.match(error)?.value { return problem }
        return switch error {
        case ClientDisconnected.left: ProblemDetails(title: "The client has left", status: 499)
        case ClientDisconnected.malformed: ProblemDetails(title: "This is not HTTP", status: 400)
        case UpstreamError.timeout: ProblemDetails(title: "The upstream is slow", status: 504)
        case is UpstreamError: ProblemDetails(title: "The upstream failed", status: 502)
        case is RequestCancelled: ProblemDetails(title: "Going down", status: 503)
        default: nil
        }
    }
}

/// The head of a response, which Hummingbird writes before it begins the body.
///
/// If the head can't be written, the body is released before it begins. In a cancelled request, the cancellation is
/// the reason. Otherwise, the client might have disconnected, or an outer middleware might have replaced the body.
private final class Head: Sendable {
    private let hasBegun = Atomic(false)
    private let onCancelled: @Sendable () -> Void

    init(onCancelled: @escaping @Sendable () -> Void) { self.onCancelled = onCancelled }

    deinit { if Task.isCancelled, !isWritten { onCancelled() } }

    var isWritten: Bool {
        get { hasBegun.load(ordering: .relaxed) }
        set { hasBegun.store(newValue, ordering: .relaxed) }
    }
}

extension HTTPRequest.Method {
    /// The method by OpenTelemetry's semantic conventions, so that clients can't add values to a dimension.
    fileprivate var semanticName: String {
        switch self {
        case .connect, .delete, .get, .head, .options, .patch, .post, .put, .trace: rawValue
        default: "_OTHER"
        }
    }
}
