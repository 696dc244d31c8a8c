#if GRPC
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
    /// Make it the last interceptor: gRPC converts each error that passes through a later one to an `RPCError`. This
    /// interceptor finds the original error in it, but for a thrown `RPCError`, which then looks like a returned one.
    /// Put an interceptor that opens a span, or that rejects a call with its own status, before it.
    ///
    /// While a call is handled or its messages are written, all posts are in a scope that is named after the method,
    /// with the metadata `rpc.system`, `rpc.service`, `rpc.method`, and `network.peer.address`.
    ///
    /// | event | status | reported | span |
    /// | --- | --- | --- | --- |
    /// | your error | as `answers` says | yes | error; failed if the status is the server's |
    /// | an `RPCError` that is thrown, such as another service's | as `answers` says | yes | the same |
    /// | ``UpstreamError`` | as `answers` says | yes | the same |
    /// | your error that is `RPCErrorConvertible`, with a client error code | its own | no | nothing |
    /// | the same with a server error code | its own | yes | error; failed |
    /// | the handler returns a response with an error | as in the previous two rows | | |
    /// | any of these three, with a rule in `answers` | as `answers` says | yes | as for your error |
    /// | the call is cancelled | its own, or `cancelled` | ``CallCancelled``, a notice | error; failed |
    ///
    /// An `RPCError` doesn't show its origin. If a client throws it, it has the code and message of another service,
    /// which are about this service instead of its caller. So a thrown one is an internal error, and only an error that
    /// certainly comes from the handler is sent unchanged. If a handler decides a status itself, add a rule to
    /// `answers`, conform the error to `RPCErrorConvertible`, or return `StreamingServerResponse(error:)`.
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
    /// gRPC cancels a call without cancelling its task, so a handler that doesn't check for it continues to the end.
    /// This interceptor cancels the handler's task too; so the handler ends, and with it the span.
    ///
    /// If the span has ended before the messages are written, later errors are recorded in a span `error` inside it.
    public struct ErrorReportingInterceptor: ServerInterceptor {
        private let answers: ErrorMap<RPCError>
        private let module: String

        /// Creates the interceptor.
        ///
        /// - Parameters:
        ///   - answers: The answer to the caller for an error. The default should reveal nothing about the internals.
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
        /// The error that gRPC has converted to this one because the error passed through another interceptor.
        fileprivate var unconverted: any Error {
            if let cause = cause as? any (Error & RPCErrorConvertible), RPCError(cause) == self { return cause }
            return code == .unknown && message.isEmpty ? cause ?? self : self
        }
    }

    extension Metadata {
        /// The time limit of the call as its caller gave it, such as `500m`; nil if it isn't in gRPC's form.
        fileprivate var deadline: String? {
            self[stringValues: "grpc-timeout"].first { _ in true }.flatMap { text in
                text.wholeMatch(of: /[0-9]{1,8}[HMSmun]/).map { String($0.output) }
            }
        }
    }

    extension ErrorHandler {
        /// Handles the errors that need no rule of the application.
        fileprivate static let calls = ErrorHandler().expecting(CallCancelled.self)
    }

    /// A call was cancelled before it was answered: a notice, not a failure.
    ///
    /// ``ErrorReportingInterceptor`` posts one for each such call, and has its own rule that handles it.
    public struct CallCancelled: Error, UnderlyingErrorsProviding, CustomStringConvertible {
        /// The time limit that the caller gave, as gRPC writes it: `500m` for half a second; nil if there was none.
        ///
        /// A call with a limit might have been cancelled for another reason before its deadline.
        public let timeout: String?
        /// The error that the call threw when it was cancelled.
        public let underlyingErrors: [any Error]

        /// The cancellation and the call's time limit; the thrown error is in the report's trail.
        public var description: String {
            timeout.map { "the call was cancelled, whose time limit was \($0)" } ?? "the call was cancelled"
        }
    }
#endif
