import ErrorOrigins
import ErrorRouting
import ErrorRoutingHummingbird
import ErrorRoutingTesting
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@Suite("The report of an error that a route throws names the place of the throw")
struct PlaceOfThrowTests {
    private struct Sold: Error { let number: Int }

    @concurrent
    private static func reserve(_ number: Int) async throws -> String {
        await Task.yield()
        throw Sold(number: number)
    }

    @Test func `as long as the middleware receives the error itself`() async throws {
        #expect(OriginRecording.start())
        let router = Router()
        router.addMiddleware { ErrorReportingMiddleware() }
        router.get("sales/:id") { _, _ in try await Self.reserve(7) }
        router.get("upstream") { _, _ -> String in throw ChannelError.eof }
        let recorded = try await withRecordedErrors { _ in
            try await Application(responder: router.buildResponder()).test(.router) { client in
                for path in ["/sales/7", "/upstream"] { _ = try await client.execute(uri: path, method: .get) }
            }
        }
        let reports = recorded.reports
        try #require(reports.count == 2)
        for (report, function) in zip(reports, ["reserve", "closure"]) {
            while report.origin?.frames.first?.function == nil { await Task.yield() }
            #expect(report.origin?.frames.first?.function?.contains(function) == true)
            #expect(report.origin?.frames.first?.file?.hasSuffix("PlaceOfThrowTests.swift") == true)
        }
    }
}
