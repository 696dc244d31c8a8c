import ErrorRouting
import HTTPErrors
import Hummingbird
import Tracing

// Right inside `TracingMiddleware`, whose span is still open where the error is posted, and outside all that throws.
struct RequestErrors<C: RequestContext>: RouterMiddleware {
    func handle(_ request: Request, context: C, next: (Request, C) async throws -> Response) async -> Response {
        let route = context.endpointPath ?? "no route"
        let tags = ["request.id": context.id, "http.request.method": "\(request.method)", "http.route": route]
        return await withErrorScope(route, metadata: tags) { scope in
            do {
                var response = try await next(request, context)
                response.body = reporting(response.body, to: scope)
                return response
            } catch {
                // An error of Hummingbird's own has a response, and is no failure below 500, unless the map has a rule.
                let isMapped = problems.match(error) != nil
                let own = isMapped ? nil : error as? any HTTPResponseError
                let response = (try? own?.response(from: request, context: context)) ?? Response(problems[error])
                if isMapped || response.status.code >= 500 { report(error, to: scope) }
                return response
            }
        }
    }

    // The body is written after `handle` has returned: the scope and the context are bound again for it.
    private func reporting(_ body: ResponseBody, to scope: ErrorScope) -> ResponseBody {
        let context = ServiceContext.current
        return ResponseBody(contentLength: body.contentLength) { writer in
            let client = ClientWriter(writer: writer)
            try await ServiceContext.$current.withValue(context) {
                try await scope.bound { @concurrent () async throws in
                    do { try await body.write(client) } catch {
                        report(error, to: scope)
                        throw error
                    }
                }
            }
        }
    }

    private func report(_ error: any Error, to scope: ErrorScope) {
        // Posts it, unless it says that the task was cancelled.
        scope.catching { () throws -> Void in throw error }
        let span = ServiceContext.current.flatMap(InstrumentationSystem.tracer.activeSpan)
        span?.recordError(error)
        if problems[error].status ?? 500 >= 500 { span?.setStatus(SpanStatus(code: .error)) }
    }
}

extension Response {
    init(_ problem: ProblemDetails) {
        let response = TransportResponse(problem)
        self.init(
            status: .init(code: response.status), headers: [.contentType: ProblemDetails.mediaType],
            body: .init(byteBuffer: ByteBuffer(bytes: response.body)))
    }
}
