public import ErrorRouting
import ErrorRoutingTracing
public import HTTPErrors
public import Hummingbird
import Logging

/// A middleware that turns each error of a request into a response and a report.
///
/// Add it directly inside `TracingMiddleware`, so that the span is still open when the middleware records an error, and
/// outside all code that throws:
///
/// ```swift
/// router.addMiddleware {
///     MetricsMiddleware()                 // counts the status that the client receives
///     TracingMiddleware()                 // its span is open until the body is written
///     ErrorReportingMiddleware(problems)  // turns errors into responses
///     …                                   // everything that throws
/// }
/// ```
///
/// While a request is handled or its response's body is written, all posts are in a scope that is named after the
/// request's method and route, such as `POST /orders/{id}`, with this metadata:
///
/// - `hb.request.id`, as in Hummingbird's own log entries, if the request's logger contains it.
/// - `http.request.method`, which is `_OTHER` for an unknown method.
/// - `http.route`, if there is a route.
/// - `url.path`, without the query, in at most 256 bytes.
///
/// | event | response | reported | span |
/// | --- | --- | --- | --- |
/// | your error | from `problems`; 500 unless its status is 400 to 599 | yes | error; failed from 500 on |
/// | `HTTPError`, or any `HTTPResponseError`, below 500 | its own | no | nothing |
/// | the same from 500 on | its own | yes | error; failed |
/// | either of these two, with a rule in `problems` | from `problems` | yes | error; failed from 500 on |
/// | either of these two, with `allProblems`, without a rule | a problem with its status and message | as above | |
/// | a route returns a response | that response | no: nothing was thrown | failed from 500 on |
/// | the response's body fails | the status was already sent | yes | error; failed from 500 on |
/// | ``ClientDisconnected`` | 499, or 400 for ``ClientDisconnected/malformed(_:)`` | yes; ignored | error |
/// | ``UpstreamError`` | 502, or 504 for ``UpstreamError/timeout(_:_:)`` | yes | error; failed |
/// | the request is cancelled, even while its head is written | 503 | ``RequestCancelled``, a notice | error; failed |
/// | a cancellation during a graceful shutdown | 503 | ``RequestCancelled``, a notice | error; failed |
/// | an unrequested cancellation, such as a subtask's | from `problems` | yes | error; failed from 500 on |
///
/// If `problems` has a rule for an error with its own response, that response's fields are kept, such as
/// `WWW-Authenticate` and `Retry-After`, except for the fields that describe its body. `fields` adds further fields.
///
/// `CORSMiddleware` wraps each error of a browser's request to add fields to the response. For such an error, your
/// rules, `problems`, and the report use the wrapped error, and the response contains the added fields. A response to
/// HEAD, and a response with the status 204, 205, or 304, is sent without its body.
///
/// The source of a report is the method and route, in the module that created the middleware: `Shop/POST /orders/{id}`,
/// without a line. So the report's fingerprint consists of the route, the error's type, and its case or code. The
/// source of an ``UpstreamError`` is the file and line that called `upstream`.
///
/// A request's kind is its method and route. If the request doesn't match a route, its kind is `no route`, regardless
/// of its path. Clients choose the path, and each kind adds a scope, a row in a table, and a metric dimension value. A
/// `RouterBuilder` finds the route after the scope has been opened. So the kind of its requests is `no route` too, but
/// their source and `http.route` contain the route.
///
/// To change a response in the last five rows of the table, add a rule to `problems`. Two rules follow yours: one
/// ignores ``ClientDisconnected``, and the other handles ``RequestCancelled``, so that neither triggers an alert.
///
/// If this middleware is inside another instance, as for a group of routes, the inner instance answers with its own
/// `problems`, and the outer instance reports errors that interrupt the bodies.
public struct ErrorReportingMiddleware<Context: RequestContext>: RouterMiddleware {
    private let problems: ErrorMap<ProblemDetails>
    private let fields: ErrorMap<HTTPFields>
    private let allProblems: Bool
    private let kinds: RequestKinds
    private let module: String

    /// Creates the middleware.
    ///
    /// - Parameters:
    ///   - problems: The response to a failed request. The default should reveal nothing about the service's internals.
    ///   - fields: Fields to add to the response, such as `Retry-After`. They replace fields of the same name in the
    ///     error's own response. Fields that describe the body, such as `Content-Type`, aren't added.
    ///   - allProblems: Whether the response to an error with its own response, such as `HTTPError`, is a problem too,
    ///     so that clients read a single format. If it is false, Hummingbird's own errors are sent in Hummingbird's
    ///     JSON.
    ///   - kindLimit: How many kinds `kind` can return; all further kinds become `other`.
    ///   - fileID: The file whose module is the source of the reports.
    ///   - kind: Returns the kind of a request without a route, as in a proxy, not including the method. If it is nil,
    ///     the kind is `no route`. Choose from your own names instead of the path, which clients choose.
    public init(
        _ problems: ErrorMap<ProblemDetails> = ErrorMap(default: ProblemDetails(title: "Internal error", status: 500)),
        fields: ErrorMap<HTTPFields> = ErrorMap(default: [:]),
        allProblems: Bool = false,
        kindLimit: Int = 100,
        fileID: String = #fileID,
        kind: (@Sendable (Request) -> String)? = nil
    ) {
        self.problems = problems
        self.fields = fields
        self.allProblems = allProblems
        kinds = RequestKinds(limit: kindLimit, kind)
        module = ErrorReport.Source(fileID: fileID, line: 0).module
    }

    /// Handles a request in its scope.
    ///
    /// - Parameters:
    ///   - request: The request to handle.
    ///   - context: The request's context.
    ///   - next: The next handler.
    /// - Returns: The response, including the response to an error.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async -> Response {
        let route = context.endpointPath
        let kind = kinds.kind(of: request, route: route)
        let metadata = Self.metadata(of: request, context)
        return await withErrorScope(kind, handler: .requests, order: .rootFirst, metadata: metadata) { scope in
            let reporter = RequestReporter(
                problems: problems, fields: fields, allProblems: allProblems, scope: scope, trace: .current,
                source: source(kind))
            do {
                if RequestReporter.hasOuterMiddleware { return try await next(request, context) }
                var request = request
                request.body = RequestBody(asyncSequence: ClientBody(body: request.body))
                var response = try await RequestReporter.$hasOuterMiddleware.withValue(true) {
                    try await next(request, context)
                }
                if response.status.code >= 500 { reporter.trace.fail() }
                response.body = found(route, request, context, by: reporter).reporting(response.body)
                return response
            } catch {
                return found(route, request, context, by: reporter).response(to: error, request, context)
            }
        }
    }

    private func source(_ kind: String) -> ErrorReport.Source {
        ErrorReport.Source(fileID: "\(module)/\(kind)", line: 0)
    }

    /// Returns a reporter with the route, if a `RouterBuilder` has found it since the scope was opened.
    private func found(
        _ route: String?, _ request: Request, _ context: Context, by reporter: RequestReporter
    ) -> RequestReporter {
        guard route == nil, let found = context.endpointPath else { return reporter }
        var reporter = reporter
        reporter.source = source(kinds.kind(of: request, route: found))
        reporter.scope.annotate("http.route", with: found)
        return reporter
    }

    private static func metadata(of request: Request, _ context: Context) -> [String: String] {
        var metadata = [
            "http.request.method": request.method.semanticName, "url.path": RequestKinds.bounded(request.uri.path),
        ]
        // Don't read `context.id`: it crashes if the logger doesn't contain this key, as with swift-log's no-op logger.
        if let id = context.logger[metadataKey: "hb.request.id"] { metadata["hb.request.id"] = "\(id)" }
        if let route = context.endpointPath { metadata["http.route"] = route }
        return metadata
    }
}

extension ErrorHandler {
    /// Handles errors that don't need a rule of the application.
    fileprivate static let requests = ErrorHandler()
        .expecting(RequestCancelled.self)
        .ignore(ClientDisconnected.self)
}
