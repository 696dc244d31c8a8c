import FaultServer
import Foundation
import Testing

extension FaultLab {
    /// Tests the forty-line program that a new user copies.
    @Suite("The program on the page about services reports its errors and shuts down")
    struct PageServiceTests {
        private static let package = URL(filePath: #filePath).appending(path: "../../../../..").standardized

        private static func text(_ path: String) throws -> String {
            try String(contentsOf: package.appending(path: path), encoding: .utf8)
        }

        @Test func `the page shows the program that these tests run`() throws {
            let program = try Self.text("Tests/Ecosystem/Sources/PageService/Orders.swift")
            let page = try Self.text("Sources/ErrorRouting/ErrorRouting.docc/InAService.md")
            #expect(page.contains("```swift\n\(program)```\n"))
            #expect(program.split(separator: "\n", omittingEmptySubsequences: false).count <= 41)
        }

        @Test func `the page shows the gRPC program that is compiled`() throws {
            let program = try Self.text("Tests/Ecosystem/Sources/PageCalls/Shipping.swift")
            let page = try Self.text("Sources/ErrorRouting/ErrorRouting.docc/InAService.md")
            #expect(page.contains("```swift\n\(program)```\n"))
        }

        /// Starts the program alongside a printer that behaves as the path describes.
        private func withProgram(
            _ path: String, port: Int = 0, _ body: (ServiceProcess, Caller, FaultServer) async throws -> Void
        ) async throws {
            try await FaultServer.withServer { server in
                let variables = ["PORT": "\(port)", "PRINTER_URL": server.url("/\(path)").absoluteString]
                let process = try ServiceProcess("PageService", variables)
                defer { process.send(SIGKILL) }
                let line = try await process.line("its port") { Self.port($0.text) != nil }
                try await Caller.withCaller(port: try #require(Self.port(line.text))) {
                    try await body(process, $0, server)
                }
            }
        }

        private static func port(_ text: String) -> Int? {
            text.firstMatch(of: /listening on 127\.0\.0\.1:([0-9]+)/).flatMap { Int($0.1) }
        }

        /// Returns the bus's totals and its lines about errors.
        private static func last(_ process: ServiceProcess) throws -> (totals: LogLine.Totals, errors: [String]) {
            let texts = process.lines.map(\.text)
            let totals = texts.compactMap { text in
                text.range(of: "posted ").flatMap { LogLine.Totals(String(text[$0.lowerBound...])) }
            }
            #expect(totals.count == 1 && totals.first?.areConsistent == true)
            return (try #require(totals.first), texts.filter { $0.contains("exception.type=") })
        }

        /// Sends orders whose labels are printed after the response, and SIGTERM while all labels are being printed.
        private func endWhilePrinting(_ path: String, _ check: (LogLine.Totals, [String]) -> Void) async throws {
            try await withProgram(path) { process, caller, server in
                for _ in 0..<8 {
                    let answer = try await caller.send(ServiceRequest(method: "POST", path: "/orders", status: 202))
                    #expect(answer.status == 202)
                }
                let printer = "/" + path.prefix { $0 != "?" }
                while server.count(path: printer) < 8 { try await Task.sleep(for: .milliseconds(5)) }
                process.send(SIGTERM)
                let end = try await process.end()
                #expect(end == .exit(0), "\(process.lines.map(\.text))")
                let (totals, errors) = try Self.last(process)
                check(totals, errors)
            }
        }

        @Test func `on SIGTERM, eight tasks that use a client end before the client does`() async throws {
            try await endWhilePrinting("slow-headers?ms=1000") { totals, errors in
                #expect(totals["posted"] == 0 && errors.isEmpty, "\(errors)")
            }
        }

        @Test func `eight tasks that never end are cancelled on SIGTERM, and each is logged as cut off`() async throws {
            try await endWhilePrinting("hang") { totals, errors in
                #expect(totals["posted"] == 8 && totals["dropped"] == 0 && errors.count == 8, "\(errors)")
                #expect(errors.allSatisfy { $0.contains("TaskCutOff") && $0.contains("PageService/Orders.swift:") })
            }
        }

        @Test func `eight tasks that fail around SIGTERM cause eight errors, each logged with its line`() async throws {
            try await endWhilePrinting("drop/before") { totals, errors in
                #expect(totals["posted"] == 8 && totals["dropped"] == 0 && errors.count == 8, "\(errors)")
                #expect(errors.allSatisfy { $0.contains("PageService/Orders.swift:") })
            }
        }

        @Test func `if its port is in use, it logs that in its scope and exits with a failure`() async throws {
            try await withProgram("json") { _, caller, _ in
                let process = try ServiceProcess("PageService", ["PORT": "\(caller.port)"])
                defer { process.send(SIGKILL) }
                let end = try await process.end()
                #expect(end == .exit(EXIT_FAILURE))
                let (totals, errors) = try Self.last(process)
                #expect(totals["posted"] == 1 && errors.count == 1)
                #expect(errors[0].contains("in use") && errors[0].contains("error.scope=Application"), "\(errors)")
            }
        }
    }
}
