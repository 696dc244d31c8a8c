#if GRPC
    public import ErrorRouting
    import ErrorRoutingTracing
    public import GRPCCore

    /// An interceptor that turns each error of a server call, unary or streaming, into a status and a report.
    ///
    /// ```swift
    /// let answers = ErrorMap(default: RPCError(code: .internalError, message: "Internal error"))
    ///     .on(OrderMissing.self, RPCError(code: .notFound, message: "There is no such order"))
    /// let interceptors: [any ServerInterceptor] = [tracing, authorization, ErrorReportingInterceptor(answers)]
    /// ```
    ///
    /// Make it the last interceptor, because gRPC converts each error that passes through a later interceptor to an
    /// `RPCError`. This interceptor finds the original error in that `RPCError`. However, if your code throws an
    /// `RPCError`, a later interceptor makes it look like a returned error. If an interceptor opens a span, or rejects
    /// a call with its own status, put it before this interceptor.
    ///
    /// While a call is handled or its messages are written, all posts are in a scope that is named after the method,
    /// with the metadata `rpc.system`, `rpc.service`, `rpc.method`, and `network.peer.address`.
    ///
    /// | event | status | reported | span |
    /// | --- | --- | --- | --- |
    /// | your error | from `answers` | yes | error; failed if the status has a server error code |
    /// | an `RPCError` that is thrown, such as another service's | from `answers` | yes | the same |
    /// | ``UpstreamError`` | from `answers` | yes | the same |
    /// | your error that is `RPCErrorConvertible`, with a client error code | its own | no | nothing |
    /// | the same with a server error code | its own | yes | error; failed |
    /// | the handler returns a response with an error | as in the previous two rows | | |
    /// | any of these three, with a rule in `answers` | from `answers` | yes | as for your error |
    /// | the call is cancelled | its own, or `cancelled` | ``CallCancelled``, a notice | error; failed |
    ///
    /// An `RPCError` doesn't show its origin. If a client throws it, its code and message come from another service and
    /// are meant for this service, not for this service's caller. So a thrown `RPCError` counts as an internal error,
    /// and only an error that certainly comes from the handler is sent unchanged. If a handler chooses a status itself,
    /// add a rule to `answers`, conform the error to `RPCErrorConvertible`, or return
    /// `StreamingServerResponse(error:)`.
    ///
    /// The source of a report is the method, in the module that created the interceptor: `Shop/orders.Shipping/Ship`,
    /// without a line. So the fingerprint consists of the method, the error's type, and its case or code. The source of
    /// an ``UpstreamError`` is the call of `upstream`.
    ///
    /// A call is cancelled when its deadline passes, its caller disconnects, or the server stops. The cancellation is
    /// reported when the handler has ended, together with the error that it threw.
    ///
    /// The server error codes are those of OpenTelemetry's semantic conventions: `unknown`, `deadlineExceeded`,
    /// `unimplemented`, `internalError`, `unavailable`, and `dataLoss`.
    ///
    /// gRPC cancels a call without cancelling its task, so a handler that doesn't check for the call's cancellation
    /// continues to the end. This interceptor also cancels the handler's task, so that the handler ends, and the span
    /// with it.
    ///
    /// If the span has ended before the messages are written, later errors are recorded in a span `error` inside it.
    public struct ErrorReportingInterceptor: ServerInterceptor {
        private let answers: ErrorMap<RPCError>
        private let module: String

        /// Creates the interceptor.
        ///
        /// - Parameters:
        ///   - answers: The caller's answer for each error. The default should reveal nothing about the service's
        ///     internals.
        ///   - fileID: The file whose module is the source of the reports.
        public init(
            _ answers: ErrorMap<RPCError> = ErrorMap(
                default: RPCError(code: .internalError, message: "Internal error")),
            fileID: String = #fileID
        ) {
            self.answers = answers
            module = ErrorReport.Source(fileID: fileID, line: 0).module
        }

        /// Handles a call in its scope.
        ///
        /// - Parameters:
        ///   - request: The call's messages.
        ///   - context: The call's context.
        ///   - next: The next handler.
        /// - Returns: The response, or the answer to an error.
        public func intercept<Input: Sendable, Output: Sendable>(
            request: StreamingServerRequest<Input>,
            context: ServerContext,
            next:
                @Sendable (StreamingServerRequest<Input>, ServerContext) async throws -> StreamingServerResponse<Output>
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
                    answers: answers, scope: scope, method: method, module: module, timeout: request.metadata.deadline,
                    cancellation: context.cancellation)
                var request = request
                request.messages = RPCAsyncSequence(wrapping: CallerMessages(messages: request.messages))
                let (received, context) = (request, context)
                do {
                    var response = try await call.run { try await next(received, context) }
                    switch response.accepted {
                    case .failure(let error):
                        return StreamingServerResponse(error: call.answer(to: error.unconverted, isReturned: true))
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

    extension RPCError {
        /// The error that gRPC has converted to this `RPCError` because the error passed through another interceptor.
        fileprivate var unconverted: any Error {
            if let cause = cause as? any (Error & RPCErrorConvertible), RPCError(cause) == self { return cause }
            return code == .unknown && message.isEmpty ? cause ?? self : self
        }
    }

    extension Metadata {
        /// The call's time limit as its caller set it, such as `500m`; nil if it isn't in gRPC's format.
        fileprivate var deadline: String? {
            self[stringValues: "grpc-timeout"].first { _ in true }.flatMap { text in
                text.wholeMatch(of: /[0-9]{1,8}[HMSmun]/).map { String($0.output) }
            }
        }
    }

    extension ErrorHandler {
        /// Handles the errors that don't need a rule of the application.
        fileprivate static let calls = ErrorHandler().expecting(CallCancelled.self)
    }

    /// The notice that a call was cancelled before it was answered.
    ///
    /// ``ErrorReportingInterceptor`` posts one notice for each such call, and handles it with its own rule.
    public struct CallCancelled: Error, UnderlyingErrorsProviding, CustomStringConvertible {
        /// The time limit that the caller set, in gRPC's format: `500m` for half a second; nil if there was no limit.
        ///
        /// Even if a call has a limit, it might have been cancelled for another reason before its deadline.
        public let timeout: String?
        /// The error that the call threw when it was cancelled.
        public let underlyingErrors: [any Error]

        /// The cancellation and the call's time limit, without the thrown error, which is among the report's underlying
        /// errors.
        public var description: String {
            timeout.map { "the call was cancelled, whose time limit was \($0)" } ?? "the call was cancelled"
        }
    }
#endif
