import ErrorRouting
import HTTPErrors
import Hummingbird
import Tracing

// Inside Hummingbird's own `TracingMiddleware`, whose span is still open where the error is posted.
struct RequestErrors<C: RequestContext>: RouterMiddleware {
    func handle(_ request: Request, context: C, next: (Request, C) async throws -> Response) async -> Response {
        let tags = ["request.id": context.id, "method": "\(request.method)", "route": context.endpointPath ?? ""]
        return await withCatchingScope("request", metadata: tags, { _ in try await next(request, context) }) { error in
            ServiceContext.current.flatMap(InstrumentationSystem.tracer.activeSpan)?.recordError(error)
            let response = TransportResponse(problems[error])
            return Response(
                status: .init(code: response.status), headers: [.contentType: ProblemDetails.mediaType],
                body: .init(byteBuffer: ByteBuffer(bytes: response.body)))
        }
    }
}
