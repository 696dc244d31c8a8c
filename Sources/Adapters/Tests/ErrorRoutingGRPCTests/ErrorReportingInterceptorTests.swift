#if GRPC
    import AdaptersTestSupport
    import ErrorRouting
    import ErrorRoutingGRPC
    import ErrorRoutingTesting
    import GRPCCore
    import GRPCInProcessTransport
    import InMemoryTracing
    import Testing
    import Tracing

    @Suite("A call's errors are answered, reported, and traced", .failsOnUnexpectedErrors, .timeLimit(.minutes(2)))
    struct ErrorReportingInterceptorTests {
        private struct Sold: Error {}

        private static let answers = ErrorMap(default: RPCError(code: .internalError, message: "Internal error"))
            .on(Sold.self, RPCError(code: .failedPrecondition, message: "Sold"))

        /// Opens a span for each call, like an interceptor for traces.
        private struct Spans: ServerInterceptor {
            let name: String
            /// Whether the span ends before the messages are written, as with the interceptor of grpc-swift-extras.
            var endsEarly = false

            /// Ends the span when this object is released, because gRPC might never request the messages.
            private final class Open: Sendable {
                let span: any Span

                init(_ name: String) { span = InMemoryTracer.shared.startSpan(name) }

                deinit { span.end() }
            }

            func intercept<Input: Sendable, Output: Sendable>(
                request: StreamingServerRequest<Input>,
                context: ServerContext,
                next:
                    @Sendable (StreamingServerRequest<Input>, ServerContext) async throws ->
                    StreamingServerResponse<Output>
            ) async throws -> StreamingServerResponse<Output> {
                let open = Open(name)
                var response = try await ServiceContext.withValue(open.span.context) {
                    try await next(request, context)
                }
                if !endsEarly, case .success(var contents) = response.accepted {
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

        /// The spans of the call's trace.
        private func spans(of name: String) throws -> [FinishedInMemorySpan] {
            let spans = InMemoryTracer.shared.finishedSpans
            let call = try #require(spans.first { $0.operationName == name })
            return spans.filter { $0.traceID == call.traceID }
        }

        /// Calls a handler through the interceptor and returns the caller's answer and the reports.
        private func call(
            _ options: CallOptions = .defaults,
            spans: Spans = Spans(name: "call"),
            within inner: [any ServerInterceptor] = [],
            failing error: RPCError? = nil,
            _ handler: @escaping Shop.Handler
        ) async throws -> (Result<[String], RPCError>, [ErrorReport]) {
            var result: Result<[String], RPCError> = .success([])
            let recorded = try await withRecordedErrors { _ in
                let transport = InProcessTransport()
                let shop = Shop(deserializer: Text(error: error), handler: handler)
                result = try await withGRPCServer(
                    transport: transport.server, services: [shop],
                    interceptors: [spans, ErrorReportingInterceptor(Self.answers)] + inner
                ) { _ in
                    try await withGRPCClient(transport: transport.client) { try await shop.call($0, options) }
                }
            }
            return (result, recorded.reports)
        }

        @Test func `an error is answered as the map specifies and reported once, in its method's scope`() async throws {
            let (result, reports) = try await call { _, _ in throw Sold() }
            #expect(throws: RPCError(code: .failedPrecondition, message: "Sold")) { try result.get() }
            let report = try #require(reports.first)
            #expect(reports.count == 1 && report.error is Sold && report.scope == ["shop.Shop/Buy"])
            #expect(report.metadata["rpc.service"] == "shop.Shop" && report.metadata["rpc.method"] == "Buy")
            #expect(report.metadata["rpc.system"] == "grpc" && report.metadata["network.peer.address"] != nil)
        }

        @Test func `an error between the messages of a stream is answered and reported once too`() async throws {
            let (result, reports) = try await call { _, _ in
                StreamingServerResponse { writer in
                    try await writer.write("first")
                    postError(Sold())
                    throw Sold()
                }
            }
            #expect(throws: RPCError(code: .failedPrecondition, message: "Sold")) { try result.get() }
            #expect(reports.map(\.scope) == [["shop.Shop/Buy"], ["shop.Shop/Buy"]])
        }

        /// An error that has its own status.
        private struct Refusal: Error, RPCErrorConvertible {
            let rpcErrorCode: RPCError.Code
            let rpcErrorMessage = "as it is"
        }

        @Test(arguments: [
            (RPCError.Code.notFound, 0), (.invalidArgument, 0), (.unavailable, 1), (.internalError, 1), (.unknown, 1),
        ])
        func `a handler's own status keeps its code, and is reported if the server is at fault`(
            code: RPCError.Code, count: Int
        ) async throws {
            for isThrown in [true, false] {
                let (result, reports) = try await call { _, _ in
                    if isThrown { throw Refusal(rpcErrorCode: code) }
                    return StreamingServerResponse(error: RPCError(code: code, message: "as it is"))
                }
                #expect(throws: RPCError(code: code, message: "as it is")) { try result.get() }
                #expect(reports.count == count)
            }
        }

        @Test func `an error that a later interceptor passes on is unchanged`() async throws {
            let later = Spans(name: "later")
            for error in [Sold(), Refusal(rpcErrorCode: .unavailable), CancellationError()] as [any Error] {
                let alone = try await call { _, _ in throw error }
                let (result, reports) = try await call(within: [later, later]) { _, _ in throw error }
                #expect(result == alone.0)
                #expect(reports.map(\.fingerprint) == alone.1.map(\.fingerprint) && reports.count == 1)
            }
            let (_, reports) = try await call(within: [later]) { _, _ in throw Refusal(rpcErrorCode: .notFound) }
            #expect(reports.isEmpty)
        }

        @Test func `a status that another service sent is an internal error, and is reported`() async throws {
            let error = RPCError(code: .permissionDenied, message: "db-7.internal refuses account 17")
            let handlers: [Shop.Handler] = [
                { _, _ in throw error },
                { _, _ in try await upstream { throw error } },
                { _, _ in StreamingServerResponse { _ in throw error } },
                { _, _ in StreamingServerResponse { _ in try await upstream { throw error } } },
            ]
            for (number, handler) in handlers.enumerated() {
                let (result, reports) = try await call(.defaults, handler)
                #expect(throws: RPCError(code: .internalError, message: "Internal error")) { try result.get() }
                #expect(reports.count == 1 && reports.first?.severity == .error)
                let isUpstream = number % 2 == 1
                #expect(reports.first?.error is UpstreamError == isUpstream)
                let call = "ErrorRoutingGRPCTests/ErrorReportingInterceptorTests.swift"
                #expect(reports.first?.source.fileID == (isUpstream ? call : "ErrorRoutingGRPCTests/shop.Shop/Buy"))
            }
            let (_, reports) = try await call { _, _ in
                try await upstream { throw RPCError(code: .deadlineExceeded, message: "late") }
            }
            #expect(reports.map(\.kindName) == ["timeout"])
        }

        @Test func `an unreadable message is the caller's fault, with gRPC's own status`() async throws {
            for code in [RPCError.Code.invalidArgument, .internalError] {
                let error = RPCError(code: code, message: "not a text")
                let (result, reports) = try await call(failing: error) { request, _ in
                    for try await _ in request.messages {}
                    return StreamingServerResponse { _ in [:] }
                }
                #expect(throws: error) { try result.get() }
                #expect(reports.map { $0.error is UnreadableMessage } == (code == .internalError ? [true] : []))
                #expect(reports.first?.trail.count == (code == .internalError ? 1 : nil))
            }
        }

        @Test func `a gRPC error's kind is its status code`() {
            let codes: [RPCError.Code] = [.unavailable, .deadlineExceeded]
            let reports = codes.map { ErrorReport(error: RPCError(code: $0, message: "secret"), source: .init()) }
            #expect(reports.map(\.kindName) == ["unavailable", "deadlineExceeded"])
            #expect(reports.allSatisfy { !$0.fingerprint.contains("secret") })
        }

        @Test func `a call that succeeds is not reported`() async throws {
            let (result, reports) = try await call { request, _ in
                StreamingServerResponse { writer in
                    for try await message in request.messages { try await writer.write("\(message)!") }
                    return [:]
                }
            }
            #expect(try result.get() == ["tea!"] && reports.isEmpty)
        }

        @Test(arguments: [false, true])
        func `a call that exceeds its deadline causes one notice, with the handler's error`(streams: Bool) async throws
        {
            var options = CallOptions.defaults
            options.timeout = .seconds(1)
            let name = "streams: \(streams)"
            let (result, reports) = try await call(options, spans: Spans(name: name)) { _, _ in
                // This handler doesn't check gRPC's cancellation.
                @Sendable func work() async throws {
                    try? await Task.sleep(for: .seconds(600))
                    throw Sold()
                }
                if !streams { try await work() }
                return StreamingServerResponse { writer in
                    try await writer.write("first")
                    try await work()
                    return [:]
                }
            }
            #expect(throws: RPCError.self) { try result.get() }
            let report = try #require(reports.first)
            #expect(reports.count == 1 && report.role == .notice && report.outcome.disposition == .handled)
            #expect((report.error as? CallCancelled)?.timeout != nil && report.scope == ["shop.Shop/Buy"])
            #expect(report.trail.map(\.message) == ["Sold()"])
            let spans = try spans(of: name)
            #expect(spans.count == 1 && spans.first?.errors.count == 1 && spans.first?.status?.code == .error)
        }

        @Test func `a cancelled call causes a notice, even if its handler ignores the cancellation`() async throws {
            let (result, reports) = try await call { _, context in
                StreamingServerResponse { _ in
                    context.cancellation.cancel()
                    return [:]
                }
            }
            #expect(try result.get().isEmpty && reports.map(\.role) == [.notice])
        }

        @Test(arguments: [false, true])
        func `an error during the writing of messages is in the trace, even if the span has ended`(
            endsEarly: Bool
        ) async throws {
            let name = "ends early: \(endsEarly)"
            _ = try await call(spans: Spans(name: name, endsEarly: endsEarly)) { _, _ in
                StreamingServerResponse { _ in throw RPCError(code: .dataLoss, message: "torn") }
            }
            let spans = try spans(of: name)
            #expect(spans.map(\.errors.count).sorted() == (endsEarly ? [0, 1] : [1]))
            #expect(spans.first { !$0.errors.isEmpty }?.status?.code == .error)
        }

        @Test func `a cancelled call with unwritable metadata causes a notice, and no span stays open`() async throws {
            let name = "no metadata"
            let recorded = try await withRecordedErrors { _ in
                try await withServerContextRPCCancellationHandle { handle in
                    let context = ServerContext(
                        descriptor: Shop.method, remotePeer: "peer", localPeer: "peer", cancellation: handle)
                    let request = StreamingServerRequest(single: ServerRequest(metadata: [:], message: "tea"))
                    // gRPC, which cannot write the metadata, releases the response.
                    _ = try await Spans(name: name).intercept(request: request, context: context) { request, context in
                        try await ErrorReportingInterceptor().intercept(request: request, context: context) { _, _ in
                            handle.cancel()
                            return StreamingServerResponse<String> { _ in [:] }
                        }
                    }
                }
            }
            #expect(recorded.reports.count == 1 && recorded.reports.first?.error is CallCancelled)
            #expect(!InMemoryTracer.shared.activeSpans.contains { $0.operationName == name })
            #expect(try spans(of: name).map(\.errors.count).reduce(0, +) == 1)
        }

        @Test func `a thousand calls at the same time leave nothing unfinished`() async throws {
            let recorded = try await withRecordedErrors { _ in
                let transport = InProcessTransport()
                let shop = Shop { request, _ in
                    StreamingServerResponse { writer in
                        for try await message in request.messages { try await writer.write(message) }
                        throw Sold()
                    }
                }
                try await withGRPCServer(
                    transport: transport.server, services: [shop],
                    interceptors: [ErrorReportingInterceptor(Self.answers)]
                ) { _ in
                    try await withGRPCClient(transport: transport.client) { client in
                        await withTaskGroup(of: Void.self) { group in
                            for _ in 0..<1_000 { group.addTask { _ = try? await shop.call(client, .defaults) } }
                        }
                    }
                }
            }
            #expect(recorded.reports.count == 1_000 && recorded.statistics.posted == 1_000)
        }
    }

    /// A service with one method of any kind, whose messages are strings.
    private struct Shop: RegistrableRPCService {
        typealias Handler =
            @Sendable (StreamingServerRequest<String>, ServerContext) async throws -> StreamingServerResponse<String>

        static let method = MethodDescriptor(fullyQualifiedService: "shop.Shop", method: "Buy")

        var deserializer = Text()
        let handler: Handler

        func registerMethods(with router: inout RPCRouter<some ServerTransport>) {
            router.registerHandler(
                forMethod: Self.method, deserializer: deserializer, serializer: Text(), handler: handler)
        }

        func call(_ client: GRPCClient<InProcessTransport.Client>, _ options: CallOptions) async throws
            -> Result<[String], RPCError>
        {
            do {
                return try await client.serverStreaming(
                    request: ClientRequest(message: "tea"), descriptor: Self.method, serializer: Text(),
                    deserializer: Text(), options: options
                ) { response in
                    var messages: [String] = []
                    for try await message in response.messages { messages.append(message) }
                    return .success(messages)
                }
            } catch let error as RPCError {
                return .failure(error)
            }
        }
    }

    private struct Text: MessageSerializer, MessageDeserializer {
        /// The error that reading a message throws.
        var error: RPCError?

        func serialize<Bytes: GRPCContiguousBytes>(_ message: String) throws -> Bytes { Bytes(Array(message.utf8)) }

        func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> String {
            if let error { throw error }
            return unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        }
    }
#endif
