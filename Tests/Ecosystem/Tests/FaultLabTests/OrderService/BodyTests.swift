import FaultServer
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension FaultLab.ServiceLab {
    /// What is left of a failure when the status has been sent, or when nobody waits for it any more.
    @Suite("A body that breaks off is reported once, by the side that broke")
    struct BodyTests {
        private static let trace = "0af7651916cd43dd8448eb211c80319c"
        private static let headers = [("traceparent", "00-\(trace)-b7ad6b7169203331-01")]

        /// Ends the service, and returns its only line about an error.
        private static func onlyError(of process: ServiceProcess) async throws -> LogLine {
            process.send(SIGTERM)
            let end = try await process.end()
            #expect(end == .exit(0))
            let errors = process.lines.filter(\.isError)
            #expect(errors.count == 1, "\(errors.map(\.text))")
            let law = try law(of: process)
            #expect(law["posted"] == 1)
            return try #require(errors.first)
        }

        @Test(arguments: ["truncated/chunks", "truncated", "drop/after-headers"])
        func `where the supplier breaks off, the request has failed after its status was sent`(path: String)
            async throws
        {
            try await withService { process, caller in
                let request = ServiceRequest(path: "/catalogues/\(path)", status: 200)
                await #expect(throws: (any Error).self) { try await caller.send(request, headers: Self.headers) }
                let line = try await Self.onlyError(of: process)
                #expect(line.metadata["exception.type"] == "OrderService.UpstreamBroke" && line.level == "error")
                #expect(line.metadata["http.route"] == "/catalogues/**" && line.metadata["trace.id"] == Self.trace)
                #expect(line.isAnswered && line.metadata["error.scope"] == "/catalogues/**")
                #expect(line.metadata["error.trail"] != nil && line.metadata["error.disposition"] == "handled")
                let span = try #require(process.lines.first { $0.isRequestSpan })
                #expect(span.metadata["errors"] == "UpstreamBroke" && span.metadata["status"] == "error")
                #expect(span.metadata["trace.id"] == Self.trace)
                // The status that the caller got.
                let counts = process.lines.compactMap(\.metric).filter { $0.name.hasPrefix("hb.requests{") }
                #expect(counts.count == 1 && counts.first?.name.contains(#"status_code="200""#) == true, "\(counts)")
            }
        }

        @Test func `a client that leaves is no failure of the service, and the supplier's connection is closed`()
            async throws
        {
            let folder = try TemporaryFolder()
            let level = ["LOG_LEVEL": "debug"]
            try await FaultServer.withServer { server in
                try await ServiceProcess.withService(in: folder, supplier: server, level) { process, caller in
                    let id = try await caller.leave(ServiceRequest(path: "/catalogues/endless-chunks", status: 200))
                    try await process.line("the error") { $0.isError }
                    try await server.waitForConnections(atMost: 0)
                    let line = try await Self.onlyError(of: process)
                    #expect(line.metadata["exception.type"] == "OrderService.ClientLeft" && line.level == "debug")
                    #expect(line.metadata["request.id"] == id && line.metadata["error.disposition"] == "ignored")
                    let span = try #require(process.lines.first { $0.isRequestSpan })
                    #expect(span.metadata["errors"] == "ClientLeft" && span.metadata["status"] == "unset")
                    #expect(!process.lines.contains { $0.level == "error" })
                }
            }
        }

        @Test func `a client that leaves within its request is no failure of the service`() async throws {
            try await withService(["LOG_LEVEL": "debug"]) { process, caller in
                let head = "POST /orders HTTP/1.1\r\nHost: orders\r\nContent-Type: application/json\r\n"
                try Self.send(head + "Content-Length: 100\r\n\r\n{\"item\":", to: caller.port)
                try await process.line("the error") { $0.isError }
                let line = try await Self.onlyError(of: process)
                #expect(line.metadata["exception.type"] == "NIOHTTP1.HTTPParserError" && line.level == "debug")
                #expect(line.isAnswered && line.metadata["http.route"] == "/orders")
                #expect(line.metadata["error.disposition"] == "ignored")
                let span = try #require(process.lines.first { $0.isRequestSpan })
                #expect(span.metadata["status"] == "unset")
                #expect(!process.lines.contains { $0.level == "error" })
            }
        }

        /// Sends bytes over a connection of its own, and closes it.
        private static func send(_ text: String, to port: Int) throws {
            #if canImport(Glibc)
                let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #else
                let descriptor = socket(AF_INET, SOCK_STREAM, 0)
            #endif
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
            }
            try #require(code == 0 && write(descriptor, text, text.utf8.count) == text.utf8.count)
        }
    }
}
