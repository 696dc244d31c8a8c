import ErrorRouting
import ErrorRoutingTracing
import HTTPErrors
import Hummingbird
import ServiceLifecycle
import Synchronization

/// Reports each error of a request once.
struct RequestReporter: Sendable {
    /// Whether an outer middleware reports the errors that occur while response bodies are written.
    @TaskLocal static var hasOuterMiddleware = false

    let problems: ErrorMap<ProblemDetails>
    let fields: ErrorMap<HTTPFields>
    /// Whether an error that provides its own response is also answered with problem details.
    let allProblems: Bool
    let scope: ErrorScope
    let trace: RequestTrace
    /// The method and route, as the source of the request's errors.
    ///
    /// A line of the middleware would be the same for every route, so neither a fingerprint nor a log would show which
    /// route failed.
    var source: ErrorReport.Source

    /// Reports an error, and returns the response to it.
    func response(to thrown: any Error, _ request: Request, _ context: some RequestContext) -> Response {
        let (error, added) = EditedError.unwrapped(thrown)
        // error-audit: harmless, because an error without its own response is answered and reported below
        let own = try? (error as? any HTTPResponseError)?.response(from: request, context: context)
        // Return Hummingbird's own response if there is no rule. If its status is below 500, it isn't a failure. Check
        // the status, because it might come from another service, and clients can't read an invalid or interim status.
        if !Task.isCancelled, problem(for: error) == nil, error is any HTTPResponseError, var response = own,
            (200...599).contains(response.status.code)
        {
            if response.status.code >= 500 { report(error, response.status.code) }
            if allProblems, response.status.code >= 400 { response = Response(error, answering: response) }
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

    /// Returns a body that reports errors that occur while it is written.
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
    /// In a cancelled request, every error counts as a result of the cancellation, because its real cause can't be
    /// determined. During a graceful shutdown, a cancellation error counts as such a result even if the task isn't
    /// cancelled.
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
/// If the head can't be written, the body is released before it begins. In a cancelled request, the cancellation is the
/// reason. In any other request, the client might have disconnected, or an outer middleware might have replaced the
/// body.
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
