import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Testing

extension FaultLab.ServiceLab {
    /// Tests the service's gRPC calls.
    @Suite("A gRPC call is logged, traced, and counted as a request is")
    struct CallTests {
        private typealias Client = GRPCClient<HTTP2ClientTransport.Posix>

        private struct Text: MessageSerializer, MessageDeserializer {
            func serialize<Bytes: GRPCContiguousBytes>(_ message: String) throws -> Bytes { Bytes(Array(message.utf8)) }

            func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> String {
                bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            }
        }

        /// Calls the service and returns how the call failed.
        private func call(
            _ client: Client,
            _ wish: String,
            within limit: Duration? = nil,
            onMessage: @escaping @Sendable () -> Void = {}
        ) async -> RPCError.Code? {
            let method = MethodDescriptor(fullyQualifiedService: "orders.Shipping", method: "Ship")
            var options = CallOptions.defaults
            options.timeout = limit
            do {
                try await client.serverStreaming(
                    request: ClientRequest(message: wish), descriptor: method, serializer: Text(), deserializer: Text(),
                    options: options
                ) { response in
                    for try await _ in response.messages { onMessage() }
                }
                return nil
            } catch {
                return (error as? RPCError)?.code
            }
        }

        /// Makes a number of concurrent calls.
        private func calls(
            _ count: Int, _ call: @escaping @Sendable () async -> RPCError.Code?
        ) async -> [RPCError.Code?] {
            await withTaskGroup(of: RPCError.Code?.self) { group in
                for _ in 0..<count { group.addTask { await call() } }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }

        @Test func `only a call that fails, is late, or is ended by SIGTERM causes a line, a span, and a count`()
            async throws
        {
            let count = 20
            try await withService { process, _ in
                let listening = try await process.line("a port") { $0.message == "answering calls" }
                let port = try #require(listening.port)
                try await withGRPCClient(
                    transport: .http2NIOPosix(
                        target: .ipv4(address: "127.0.0.1", port: port), transportSecurity: .plaintext)
                ) { client in
                    async let served = calls(count) { await call(client, "tea") }
                    async let missing = calls(count) { await call(client, "missing") }
                    async let jammed = calls(count) { await call(client, "jam") }
                    let codes = await (served, missing, jammed)
                    #expect(Set(codes.0) == [nil] && Set(codes.1) == [.notFound] && Set(codes.2) == [.internalError])
                    // Allow enough time for all calls to begin.
                    let late = await calls(count) { await call(client, "ever", within: .seconds(5)) }
                    #expect(Set(late) == [.deadlineExceeded])

                    let (messages, continuation) = AsyncStream<Void>.makeStream()
                    async let cut = calls(count) { await call(client, "ever") { continuation.yield() } }
                    var begun = 0
                    for await _ in messages {
                        begun += 1
                        if begun == count { break }
                    }
                    process.send(SIGTERM)
                    #expect(await !cut.contains(nil))
                }
                let end = try await process.end()
                #expect(end == .exit(0))
                let lines = Dictionary(grouping: process.lines.filter(\.isError)) {
                    "\($0.metadata["exception.type"] ?? "") \($0.level) \($0.metadata["error.trail"] ?? "")"
                }
                let jam = "OrderService.LabelJam: LabelJam(printer: \"printer-7.internal\", order: \"7\")"
                let expected = [
                    "OrderService.OrderMissing info ": count, "OrderService.LabelJam error ": count,
                    "ErrorRoutingGRPC.CallCancelled notice \(jam)": 2 * count,
                ]
                #expect(lines.mapValues(\.count) == expected)
                #expect(lines.values.joined().allSatisfy { $0.metadata["rpc.method"] == "Ship" })
                let spans = process.lines.filter(\.isRequestSpan)
                let errors = Dictionary(grouping: spans) { $0.metadata["errors"] ?? "" }.mapValues(\.count)
                #expect(errors == ["OrderMissing": count, "LabelJam": count, "CallCancelled": 2 * count])
                #expect(Set(spans.map { $0.metadata["trace.id"] }).count == 4 * count)
                let totals = try totals(of: process)
                #expect(totals["posted"] == 4 * count && totals["dropped"] == 0)
            }
        }
    }
}
