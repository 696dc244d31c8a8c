import GRPCCore
import Tracing

/// Opens a span for each call and ends it after the call's last message.
struct CallSpans: ServerInterceptor {
    /// Ends its span when it is deallocated, because gRPC might never read the messages.
    private final class Open: Sendable {
        let span: any Span

        init(_ name: String) { span = startSpan(name, ofKind: .server) }

        deinit { span.end() }
    }

    func intercept<Input: Sendable, Output: Sendable>(
        request: StreamingServerRequest<Input>,
        context: ServerContext,
        next: @Sendable (StreamingServerRequest<Input>, ServerContext) async throws -> StreamingServerResponse<Output>
    ) async throws -> StreamingServerResponse<Output> {
        let open = Open(context.descriptor.fullyQualifiedMethod)
        var response = try await ServiceContext.withValue(open.span.context) { try await next(request, context) }
        if case .success(var contents) = response.accepted {
            let produce = contents.producer
            contents.producer = { writer in
                defer { withExtendedLifetime(open) {} }
                return try await produce(writer)
            }
            response.accepted = .success(contents)
        }
        return response
    }
}
