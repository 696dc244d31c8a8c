import ErrorRouting
import ErrorRoutingGRPC
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Logging
import ServiceLifecycle

/// The gRPC methods for other services.
///
/// A message is a string.
struct Shipping: Service, RegistrableRPCService {
    private static let answers = ErrorMap(default: RPCError(code: .internalError, message: "Internal error"))
        .on(OrderMissing.self, RPCError(code: .notFound, message: "There is no such order"))

    func registerMethods(with router: inout RPCRouter<some ServerTransport>) {
        let method = MethodDescriptor(fullyQualifiedService: "orders.Shipping", method: "Ship")
        router.registerHandler(forMethod: method, deserializer: Text(), serializer: Text()) { request, _ in
            let wish = try await request.messages.first { _ in true }
            if wish == "missing" { throw OrderMissing(number: 7) }
            return StreamingServerResponse { writer in
                try await writer.write("packed")
                if wish == "jam" { throw LabelJam(order: "7") }
                if wish == "ever" {
                    try? await Task.sleep(for: .seconds(600))
                    throw LabelJam(order: "7")
                }
                return [:]
            }
        }
    }

    /// Serves calls on a free port and logs the port.
    func run() async throws {
        let transport = HTTP2ServerTransport.Posix(
            address: .ipv4(host: "127.0.0.1", port: 0), transportSecurity: .plaintext)
        let server = GRPCServer(
            transport: transport, services: [self],
            interceptors: [CallSpans(), ErrorReportingInterceptor(Self.answers)])
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { try await server.serve() }
            let port = try await transport.listeningAddress.ipv4?.port ?? 0
            logger.notice("answering calls", metadata: ["port": "\(port)"])
            // Wait until the server is running: stopping it earlier is an error.
            try? await gracefulShutdown()
            server.beginGracefulShutdown()
        }
    }
}

/// Converts strings to messages, and messages to strings.
private struct Text: MessageSerializer, MessageDeserializer {
    func serialize<Bytes: GRPCContiguousBytes>(_ message: String) throws -> Bytes { Bytes(Array(message.utf8)) }

    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> String {
        bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
