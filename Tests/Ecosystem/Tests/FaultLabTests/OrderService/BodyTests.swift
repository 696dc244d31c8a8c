import FaultServer
import Foundation
import Testing

extension FaultLab.ServiceLab {
    /// Tests failures after the status was sent, or after the client has left.
    @Suite("A body that breaks off is reported once, by the side that broke")
    struct BodyTests {
        private let adapter = "ErrorRoutingHummingbird"
        private static let trace = "0af7651916cd43dd8448eb211c80319c"
        private static let headers = [("traceparent", "00-\(trace)-b7ad6b7169203331-01")]

        /// Ends the service and returns its only line about an error.
        private static func onlyError(of process: ServiceProcess) async throws -> LogLine {
            process.send(SIGTERM)
            let end = try await process.end()
            #expect(end == .exit(0))
            let errors = process.lines.filter(\.isError)
            #expect(errors.count == 1, "\(errors.map(\.text))")
            let totals = try totals(of: process)
            #expect(totals["posted"] == 1)
            return try #require(errors.first)
        }

        @Test(arguments: ["truncated/chunks", "truncated", "drop/after-headers"])
        func `if the supplier breaks off, the request fails after its status was sent`(path: String)
            async throws
        {
            try await withService { process, caller in
                let request = ServiceRequest(path: "/catalogues/\(path)", status: 200)
                await #expect(throws: (any Error).self) { try await caller.send(request, headers: Self.headers) }
                let line = try await Self.onlyError(of: process)
                #expect(
                    line.metadata["exception.type"] == "ErrorRoutingUpstream.UpstreamError" && line.level == "notice")
                #expect(line.location.hasPrefix("OrderService/Suppliers.swift:"))
                #expect(line.metadata["http.route"] == "/catalogues/**" && line.metadata["trace.id"] == Self.trace)
                #expect(line.isAnswered && line.metadata["error.scope"] == "GET /catalogues/**")
                #expect(line.metadata["error.trail"] != nil && line.metadata["error.disposition"] == "handled")
                let span = try #require(process.lines.first { $0.isRequestSpan })
                #expect(span.metadata["errors"] == "UpstreamError" && span.metadata["status"] == "error")
                #expect(span.metadata["trace.id"] == Self.trace)
                // This is the status that the caller received.
                let counts = process.lines.compactMap(\.metric).filter { $0.name.hasPrefix("hb.requests{") }
                #expect(counts.count == 1 && counts.first?.name.contains(#"status_code="200""#) == true, "\(counts)")
            }
        }

        @Test func `an error that is posted while a body is written is in the request's scope and trace`() async throws
        {
            try await withService { process, caller in
                let answer = try await caller.send(ServiceRequest(path: "/labels", status: 200), headers: Self.headers)
                #expect(answer.status == 200 && answer.text == "label 2\n")
                let line = try await Self.onlyError(of: process)
                #expect(line.metadata["exception.type"] == "OrderService.LabelJam")
                #expect(line.metadata["hb.request.id"] == answer.id && line.metadata["error.scope"] == "GET /labels")
                #expect(
                    line.metadata["trace.id"] == Self.trace && line.location.hasPrefix("OrderService/Routes.swift:"))
            }
        }

        @Test func `a client that leaves causes no failure of the service, and the supplier's connection is closed`()
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
                    #expect(line.metadata["exception.type"] == "\(adapter).ClientDisconnected" && line.level == "debug")
                    #expect(line.metadata["hb.request.id"] == id && line.metadata["error.disposition"] == "ignored")
                    let span = try #require(process.lines.first { $0.isRequestSpan })
                    #expect(span.metadata["errors"] == "ClientDisconnected" && span.metadata["status"] == "unset")
                    #expect(!process.lines.contains { $0.level == "error" })
                }
            }
        }

        @Test(arguments: [false, true])
        func `a client that leaves during its request causes no failure of the service`(resets: Bool) async throws {
            try await withService(["LOG_LEVEL": "debug"]) { process, caller in
                let head = "POST /orders HTTP/1.1\r\nHost: orders\r\nContent-Type: application/json\r\n"
                let connection = try Connection(to: caller.port)
                try connection.write(head + "Content-Length: 100\r\n\r\n{\"item\":")
                // Wait until the service has read some bytes of the body: a reset discards unread bytes.
                try await caller.waitUntilActive("POST", 1)
                connection.close(resets: resets)
                try await process.line("the error") { $0.isError }
                let line = try await Self.onlyError(of: process)
                let type = resets ? "NIOCore.IOError" : "NIOHTTP1.HTTPParserError"
                #expect(line.metadata["error.trail"]?.hasPrefix(type) == true && line.level == "debug", "\(line.text)")
                #expect(line.metadata["exception.type"] == "\(adapter).ClientDisconnected")
                #expect(line.isAnswered && line.metadata["http.route"] == "/orders")
                #expect(line.metadata["error.disposition"] == "ignored")
                let span = try #require(process.lines.first { $0.isRequestSpan })
                #expect(span.metadata["status"] == "unset")
                #expect(!process.lines.contains { $0.level == "error" })
            }
        }

        @Test func `a client that leaves while Hummingbird watches its connection causes no failure of the service`()
            async throws
        {
            try await withService(["LOG_LEVEL": "debug"]) { process, caller in
                let connection = try Connection(to: caller.port)
                try connection.write("GET /deliveries HTTP/1.1\r\nHost: orders\r\n\r\n")
                // One of the two requests is the request for the metrics.
                try await caller.waitUntilActive("GET", 2)
                connection.close(resets: false)
                try await process.line("the error") { $0.isError }
                let line = try await Self.onlyError(of: process)
                #expect(line.metadata["exception.type"] == "\(adapter).ClientDisconnected" && line.level == "debug")
                #expect(line.metadata["error.disposition"] == "ignored" && line.metadata["http.route"] == "/deliveries")
                let span = try #require(process.lines.first { $0.isRequestSpan })
                #expect(span.metadata["status"] == "unset")
                let counts = process.lines.compactMap(\.metric).filter { $0.name.hasPrefix("hb.requests{") }
                let count = counts.first { $0.name.contains("/deliveries") }
                #expect(count?.name.contains(#"status_code="499""#) == true, "\(counts)")
            }
        }

        @Test func `a client that sends invalid HTTP is still connected, and receives an error`() async throws {
            try await withService(["LOG_LEVEL": "debug"]) { process, caller in
                let connection = try Connection(to: caller.port)
                let head = "POST /orders HTTP/1.1\r\nHost: orders\r\nContent-Type: application/json\r\n"
                try connection.write(head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n")
                let response = try connection.read()
                connection.close(resets: false)
                #expect(response.hasPrefix("HTTP/1.1 400 "), "\(response)")
                let line = try await Self.onlyError(of: process)
                #expect(line.metadata["exception.type"] == "\(adapter).ClientDisconnected" && line.level == "debug")
            }
        }
    }
}
