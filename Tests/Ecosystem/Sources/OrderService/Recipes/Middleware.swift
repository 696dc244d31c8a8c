import ErrorRouting
import HTTPErrors
import Hummingbird
import Tracing

// Right inside `TracingMiddleware`, whose span is still open where the error is posted, and outside all that throws.
struct RequestErrors<C: RequestContext>: RouterMiddleware {
    func handle(_ request: Request, context: C, next: (Request, C) async throws -> Response) async -> Response {
        let route = context.endpointPath ?? "no route"
        let tags = ["hb.request.id": context.id, "http.request.method": "\(request.method)", "http.route": route]
        return await withErrorScope(route, metadata: tags) { scope in
            var request = request
            request.body = RequestBody(asyncSequence: ClientBody(body: request.body))
            var response: Response
            do {
                response = try await next(request, context)
                response.body = reporting(response.body, to: scope)
            } catch {
                // An error of Hummingbird's own has a response, and is no failure below 500, unless the map has a rule.
                let isMapped = problems.match(error) != nil
                let own = isMapped ? nil : error as? any HTTPResponseError
                response = (try? own?.response(from: request, context: context)) ?? Response(problems[error])
                if isMapped || response.status.code >= 500 { report(error, to: scope) }
            }
            if response.status.code >= 500 { span?.setStatus(SpanStatus(code: .error)) }
            return response
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
                        if problems[error].status ?? 500 >= 500 { span?.setStatus(SpanStatus(code: .error)) }
                        throw error
                    }
                }
            }
        }
    }

    private func report(_ error: any Error, to scope: ErrorScope) {
        // That the request was cancelled is no failure; that something else was, of which it awaits the result, is one.
        if Task.isCancelled { scope.catching { () throws -> Void in throw error } } else { scope.post(error) }
        span?.recordError(error)
    }

    private var span: (any Span)? { ServiceContext.current.flatMap(InstrumentationSystem.tracer.activeSpan) }
}

extension Response {
    init(_ problem: ProblemDetails) {
        let problem = TransportResponse(problem)
        let body = ResponseBody(byteBuffer: ByteBuffer(bytes: problem.body))
        self.init(status: .init(code: problem.status), headers: [.contentType: ProblemDetails.mediaType], body: body)
    }
}
