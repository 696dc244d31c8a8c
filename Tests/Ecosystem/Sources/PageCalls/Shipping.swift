import ErrorRouting
import ErrorRoutingGRPC
import ErrorRoutingLifecycle
import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import GRPCServiceLifecycle
import Logging
import ServiceLifecycle
import UnixSignals

@main
struct Shipping {
    static func main() async {
        let logger = Logger(label: "shipping")
        let errors = ErrorBusService(handler: ErrorHandler(), logger: logger)
        let answers = ErrorMap(default: RPCError(code: .internalError, message: "Internal error"))
            .on(OrderMissing.self, RPCError(code: .notFound, message: "There is no such order"))
        let server = GRPCServer(
            transport: .http2NIOPosix(
                address: .ipv4(host: "127.0.0.1", port: 8081), transportSecurity: .plaintext),
            services: [Orders()], interceptors: [ErrorReportingInterceptor(answers)])
        let group = ServiceGroup(
            services: [server.endingBeforeTasks()], reportingTo: errors,
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        do { try await group.run() } catch { exit(EXIT_FAILURE) }
    }
}
