import FaultServer
import Foundation
import Testing

extension FaultLab.ServiceLab {
    /// Tests a route that passes a supplier's response on to the client while the supplier breaks.
    @Suite("An upstream failure appears once in every sink, with its own kind")
    struct ProxyTests {
        /// A supplier's fault and its expected result.
        struct Case: CustomTestStringConvertible {
            let path: String
            /// The expected case of `UpstreamError`.
            let broke: String
            /// The status that the client receives; 200 if the head was sent before the supplier broke.
            let status: Int
            /// The supplier's address, if the supplier isn't the fault server.
            var supplier: String?

            var testDescription: String { path }
        }

        private static let cases = [
            Case(path: "json", broke: "connection", status: 502, supplier: "http://127.0.0.1:1"),
            Case(path: "hang?within=100", broke: "timeout", status: 504),
            Case(path: "drop/before", broke: "connection", status: 502),
            Case(path: "drop/reset", broke: "connection", status: 502),
            Case(path: "drop/within-headers", broke: "connection", status: 502),
            Case(path: "garbage", broke: "connection", status: 502),
            Case(path: "truncated", broke: "body", status: 200),
            Case(path: "truncated/chunks", broke: "body", status: 200),
            Case(path: "slow-body?pauses=100", broke: "timeout", status: 200),
        ]

        @Test(arguments: cases)
        func `a fault causes one report, one line, one failed span, one count, and one recorded line`(fault: Case)
            async throws
        {
            let folder = try TemporaryFolder()
            var variables = ["RECORD": folder.path("errors.jsonl")]
            variables["SUPPLIER_URL"] = fault.supplier
            try await FaultServer.withServer { server in
                try await ServiceProcess.withService(in: folder, supplier: server, variables) { process, caller in
                    let answer = try? await caller.send(ServiceRequest(path: "/catalogues/\(fault.path)", status: 0))
                    // A response with a truncated body isn't an answer, regardless of its status.
                    #expect(answer?.status == (fault.status == 200 ? nil : fault.status))
                    process.send(SIGTERM)
                    let end = try await process.end()
                    #expect(end == .exit(0))
                    try Self.check(fault, in: process.lines)
                    let totals = try totals(of: process)
                    #expect(totals["posted"] == 1 && totals["handled"] == 1)
                }
            }
            let recorded = try String(contentsOfFile: folder.path("errors.jsonl"), encoding: .utf8)
                .split(separator: "\n").filter { $0.contains("exception.type") || $0.contains("UpstreamError") }
            #expect(recorded.count == 1 && recorded[0].contains("/catalogues/"), "\(recorded)")
        }

        private static func check(_ fault: Case, in lines: [LogLine]) throws {
            let logged = lines.filter(\.isError)
            let line = try #require(logged.first)
            let kind = "ErrorRoutingUpstream.UpstreamError.\(fault.broke)"
            #expect(logged.count == 1 && line.level == "notice" && line.isAnswered, "\(logged.map(\.text))")
            #expect(line.metadata["error.fingerprint"]?.hasPrefix("\(kind) ") == true, "\(line.text)")
            #expect(line.metadata["url.path"] == "/catalogues/\(fault.path.prefix { $0 != "?" })")
            // Only the underlying errors contain the cause.
            let trail = try #require(line.metadata["error.trail"])
            let cause = try #require(trail.split(separator: ": ", maxSplits: 1).last)
            #expect(line.text.components(separatedBy: cause).count == 2, "\(line.text)")
            let spans = lines.filter(\.isRequestSpan)
            #expect(spans.map { $0.metadata["errors"] } == ["UpstreamError"])
            #expect(spans.map { $0.metadata["status"] } == ["error"])
            let counts = lines.compactMap(\.metric).filter { $0.name.hasPrefix("errors{") }
            #expect(counts.map(\.value) == [1] && counts[0].name.contains(#"type="\#(kind)",cause=""#), "\(counts)")
            #expect(!counts[0].name.contains(#"cause="none""#))
        }
    }
}
