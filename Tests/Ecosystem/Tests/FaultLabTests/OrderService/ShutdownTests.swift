import FaultServer
import Foundation
import Testing

extension FaultLab.ServiceLab {
    /// Tests that a shutdown waits for requests only for a limited time.
    @Suite("Each request that a shutdown cancels is logged once")
    struct ShutdownTests {
        /// What a request waits for when it is cancelled.
        enum Waiting: CaseIterable {
            case itsBody
            case anAnswer
            case itsHead
            case itsSupplier
            case theRestOfABody

            var head: String {
                switch self {
                case .itsBody:
                    "POST /orders HTTP/1.1\r\nHost: orders\r\nContent-Type: application/json\r\nContent-Length: 100\r\n"
                        + "\r\n{\"item\":"
                case .anAnswer: "GET /deliveries?for=ever HTTP/1.1\r\nHost: orders\r\n\r\n"
                case .itsHead: "GET /pickups HTTP/1.1\r\nHost: orders\r\n\r\n"
                case .itsSupplier: "GET /quotes/hang?within=600000 HTTP/1.1\r\nHost: orders\r\n\r\n"
                case .theRestOfABody: "GET /catalogues/slow-body?pauses=600000 HTTP/1.1\r\nHost: orders\r\n\r\n"
                }
            }

            var path: String {
                switch self {
                case .itsBody: "/orders"
                case .anAnswer: "/deliveries"
                case .itsHead: "/pickups"
                case .itsSupplier: "/quotes/hang"
                case .theRestOfABody: "/catalogues/slow-body"
                }
            }
        }

        @Test(arguments: Waiting.allCases.map { [$0] } + [Waiting.allCases])
        func `fifty requests that never end cause fifty each of notices, lines, failed spans, and counts`(
            waiting: [Waiting]
        ) async throws {
            let count = 50
            try await withService(["SHUTDOWN_LIMIT": "1", "PAGER_PATH": "hang"]) { process, caller in
                var connections: [Connection] = []
                defer { for connection in connections { connection.close(resets: false) } }
                for number in 0..<count {
                    let connection = try Connection(to: caller.port)
                    connections.append(connection)
                    try connection.write(waiting[number % waiting.count].head)
                }
                try await caller.waitUntilActive(count)
                let begin = ContinuousClock.now
                process.send(SIGTERM)
                let end = try await process.end()
                #expect(end == .exit(0))
                #expect(begin.duration(to: .now) < .seconds(20))

                let lines = process.lines.filter(\.isError)
                #expect(lines.count == count, "\(lines.first?.text ?? "")")
                let types = Set(lines.compactMap { $0.metadata["exception.type"] })
                #expect(types == ["ErrorRoutingHummingbird.RequestCancelled"])
                #expect(lines.allSatisfy { $0.level == "notice" && $0.metadata["error.role"] == "notice" })
                #expect(Set(lines.compactMap { $0.metadata["hb.request.id"] }).count == count)
                #expect(Set(lines.compactMap { $0.metadata["url.path"] }) == Set(waiting.map(\.path)))
                let spans = process.lines.filter(\.isRequestSpan)
                #expect(spans.count == count)
                #expect(spans.allSatisfy { $0.metadata["errors"] == "RequestCancelled" })
                #expect(spans.allSatisfy { $0.metadata["status"] == "error" })
                #expect(Set(spans.map { $0.metadata["trace.id"] }) == Set(lines.map { $0.metadata["trace.id"] }))
                // The adapter's rule handles the requests. It doesn't call the pager, which would hang.
                let totals = try totals(of: process)
                #expect(totals["posted"] == count && totals["handled"] == count)
            }
        }
    }
}
