public import ErrorRouting
import ErrorRoutingTracing
public import GRPCCore

/// The interceptor that turns each error of a server's call, unary or streaming, into a status and a report.
///
/// ```swift
/// let answers = ErrorMap(default: RPCError(code: .internalError, message: "Internal error"))
///     .on(OrderMissing.self, RPCError(code: .notFound, message: "There is no such order"))
/// let interceptors: [any ServerInterceptor] = [tracing, authorization, ErrorReportingInterceptor(answers)]
/// ```
///
/// Let it be the last interceptor, because gRPC turns each error that passes through a later one into a status. An
/// interceptor that opens a span, or that rejects a call with a status of its own, stands before it.
///
/// Everything that is posted while a call is handled, or its messages are written, is in a scope that is named after
/// the method, with the metadata `rpc.system`, `rpc.service`, `rpc.method` and `network.peer.address`.
///
/// | what happens | status | reported | span |
/// | --- | --- | --- | --- |
/// | an error of yours | as `answers` says | yes | error; failed if the status is the server's |
/// | an `RPCError` that is thrown, such as another service's | as `answers` says | yes | the same |
/// | ``UpstreamError`` | as `answers` says | yes | the same |
/// | an error of yours that is `RPCErrorConvertible`, with a code of the caller's | its own | no | nothing |
/// | the same with a code of the server's | its own | yes | error; failed |
/// | a response with an error that the handler returns | as the two rows before | | |
/// | either of these three, with a rule in `answers` | as `answers` says | yes | as with an error of yours |
/// | the call is cancelled | its own, or `cancelled` | ``CallCancelled``, a notice | error; failed |
///
/// An `RPCError` says nothing of where it comes from. The one that a client throws has the code and text of another
/// service, which are about this service and not about its caller. So a thrown one is an internal error, and only
/// what's certainly the handler's own goes out as it is. If a handler decides a status itself, give `answers` a rule,
/// conform the error to `RPCErrorConvertible`, or return `StreamingServerResponse(error:)`.
///
/// The source of a report is the method: `ErrorRoutingGRPC/orders.Shipping/Ship`, without a line. So its fingerprint is
/// the method with the error's type and its case or code. That of an ``UpstreamError`` is the call of `upstream`.
///
/// A call is cancelled when it is past its deadline, when its caller has left, or when the server ends. That is
/// reported when its handler has ended, with what it threw then.
///
/// The codes of the server's are those of OpenTelemetry's semantic conventions: `unknown`, `deadlineExceeded`,
/// `unimplemented`, `internalError`, `unavailable` and `dataLoss`.
///
/// gRPC cancels a call without cancelling its task, so that a handler which does not ask goes on for as long as it
/// takes. With this interceptor the handler's task is cancelled then; so it ends, and with it its span.
///
/// Where the span has ended before the messages are written, what fails then is recorded in a span `error` within it.
public struct ErrorReportingInterceptor: ServerInterceptor {
    private let answers: ErrorMap<RPCError>

    /// Makes the interceptor.
    ///
    /// - Parameter answers: What the caller is told of an error; its default should say nothing of what is behind it.
    public init(
        _ answers: ErrorMap<RPCError> = ErrorMap(default: RPCError(code: .internalError, message: "Internal error"))
    ) {
        self.answers = answers
    }

    /// Handles a call within its scope.
    ///
    /// - Parameters:
    ///   - request: The call's messages.
    ///   - context: What is known of the call.
    ///   - next: What handles it.
    /// - Returns: The response, or the answer to an error.
    public func intercept<Input: Sendable, Output: Sendable>(
        request: StreamingServerRequest<Input>,
        context: ServerContext,
        next: @Sendable (StreamingServerRequest<Input>, ServerContext) async throws -> StreamingServerResponse<Output>
    ) async throws -> StreamingServerResponse<Output> {
        let method = context.descriptor
        let metadata = [
            "rpc.system": "grpc", "rpc.service": method.service.fullyQualifiedService, "rpc.method": method.method,
            "network.peer.address": context.remotePeer,
        ]
        return await withErrorScope(
            method.fullyQualifiedMethod, handler: .calls, order: .rootFirst, metadata: metadata
        ) { scope in
            let call = Call(
                answers: answers, scope: scope, method: method, timeout: request.metadata.deadline,
                cancellation: context.cancellation)
            var request = request
            request.messages = RPCAsyncSequence(wrapping: CallerMessages(messages: request.messages))
            let (received, context) = (request, context)
            do {
                var response = try await call.run { try await next(received, context) }
                switch response.accepted {
                case .failure(let error):
                    return StreamingServerResponse(error: call.answer(to: error, isReturned: true))
                case .success(var contents):
                    let produce = contents.producer
                    contents.producer = { writer in
                        do {
                            let trailers = try await call.bound { try await call.run { try await produce(writer) } }
                            call.end(with: nil)
                            return trailers
                        } catch {
                            throw call.answer(to: error)
                        }
                    }
                    response.accepted = .success(contents)
                }
                return response
            } catch {
                return StreamingServerResponse(error: call.answer(to: error))
            }
        }
    }
}

extension Metadata {
    /// The time limit of the call as its caller gave it, such as `500m`; nil if it is none in gRPC's form.
    fileprivate var deadline: String? {
        self[stringValues: "grpc-timeout"].first { _ in true }.flatMap { text in
            text.wholeMatch(of: /[0-9]{1,8}[HMSmun]/).map { String($0.output) }
        }
    }
}

extension ErrorHandler {
    /// What needs no rule of the application's.
    fileprivate static let calls = ErrorHandler().on(CallCancelled.self) { _ in .stop }
}

/// A call was cancelled before it was answered: a notice, not a failure.
///
/// ``ErrorReportingInterceptor`` posts one for each such call, with a rule of its own that handles it.
public struct CallCancelled: Error, UnderlyingErrors, CustomStringConvertible {
    /// The time limit that the caller gave, as gRPC writes it: `500m` for half a second; nil if there was none.
    ///
    /// A call with a limit may have been cancelled for another reason before its deadline.
    public let timeout: String?
    /// What the call threw when it was cancelled.
    public let underlyingErrors: [any Error]

    /// That the call was cancelled, and its time limit; what it threw is in the report's trail.
    public var description: String {
        timeout.map { "the call was cancelled, whose time limit was \($0)" } ?? "the call was cancelled"
    }
}
