import ErrorRouting
import ErrorRoutingHummingbird
import ErrorRoutingTesting
import Foundation
import HTTPErrors
import Hummingbird
import HummingbirdTesting
import Testing

/// A status from another service that the application passes on.
@Suite("A status from another service is passed on only if it is a failure's", .failsOnUnexpectedErrors)
struct RequestStatusTests {
    /// An error with its own response, like Hummingbird's errors.
    private struct Passed: HTTPResponseError {
        let status: HTTPResponse.Status

        func response(from request: Request, context: some RequestContext) throws -> Response {
            Response(status: status)
        }
    }

    /// Returns the status and body that the client receives for a failing request, and the number of reported errors.
    private func answer(
        to error: @escaping @Sendable () -> any Error
    ) async throws -> (status: Int, body: String, reports: Int) {
        let problems = ErrorMap(default: ProblemDetails(title: "Internal error", status: 500))
            .on(matching: .anywhere(.type(ProblemDetails.self))) { $0 }
        let router = Router()
        router.addMiddleware { ErrorReportingMiddleware(problems) }
        router.get("a") { _, _ -> String in throw error() }
        var response: (Int, String)?
        let recorded = try await withRecordedErrors { _ in
            response = try await Application(responder: router.buildResponder()).test(.live) { client in
                try await client.execute(uri: "/a", method: .get) { ($0.status.code, String(buffer: $0.body)) }
            }
        }
        let (status, body) = try #require(response)
        return (status, body, recorded.reports.count)
    }

    @Test func `a failure's status is passed on, any other becomes a 500, and none crashes the process`() async throws {
        for status in [
            Int.min, -1, 0, 99, 100, 101, 200, 204, 304, 399, 600, 1_000, 100_000, .max, 400, 409, 503, 599,
        ] {
            let (answered, body, reports) = try await answer {
                let body = Data(#"{"title":"x","status":\#(status)}"#.utf8)
                let headers: HTTPErrors.HTTPHeaders = ["Content-Type": "application/problem+json"]
                return NetworkError(HTTPFailure(status: 502, headers: headers, body: body))
            }
            #expect(answered == ((400...599).contains(status) ? status : 500), "\(status)")
            #expect(body.contains(#""title":"x""#) && reports == 1)
        }
    }

    @Test func `an error's own response is sent only if a client can read it`() async throws {
        for code in [0, 99, 100, 101, 199, 600, 999] {
            let (status, _, reports) = try await answer { Passed(status: .init(code: code)) }
            #expect(status == 500 && reports == 1, "\(code)")
        }
        for code in [302, 404, 418] {
            let (status, _, reports) = try await answer { Passed(status: .init(code: code)) }
            #expect(status == code && reports == 0, "\(code)")
        }
    }
}
