import ErrorRouting
import Foundation
import HTTPErrors
import HTTPTypes
import OpenAPIRuntime
import Synchronization
import Testing

@testable import OpenAPISamples

private struct OrderMissing: Error {}
private struct Broken: Error {}

private struct Gone: Error, HTTPResponseConvertible {
    var httpStatus: HTTPResponse.Status { .gone }
    var httpHeaderFields: HTTPFields { [.retryAfter: "7"] }
}

private struct Away: Error, HTTPResponseConvertible {
    var httpStatus: HTTPResponse.Status { .serviceUnavailable }
}

private struct Own: Error, HTTPResponseConvertible {
    var httpStatus: HTTPResponse.Status { .conflict }
    var httpBody: HTTPBody? { HTTPBody(Data("own".utf8)) }
}

@Suite("The server middleware on the page about OpenAPI answers and reports errors", .timeLimit(.minutes(2)))
struct ProblemsTests {
    private let middleware = Problems(
        problems: ErrorMap(default: ProblemDetails(title: "Internal error", status: 500))
            .on(OrderMissing.self, ProblemDetails(title: "There is no such order", status: 404)))

    /// Returns the response to a request whose operation throws an error, and the reports.
    private func result(
        of error: any Error
    ) async throws -> (response: HTTPResponse, body: String, reports: [ErrorReport]) {
        let reports = Mutex<[ErrorReport]>([])
        let handler = ErrorHandler().always { _, report in reports.withLock { $0.append(report) } }
        let answer = await withErrorBus(handler: handler) { _ in
            let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/orders/7")
            return await middleware.intercept(request, body: nil, metadata: .init(), operationID: "order") { _, _, _ in
                throw error
            }
        }
        let body = try await Data(collecting: try #require(answer.1), upTo: 1_000)
        return (answer.0, String(decoding: body, as: UTF8.self), reports.withLock { $0 })
    }

    /// Wraps an error as the generated code does.
    private func wrapped(_ error: any Error) -> ServerError {
        ServerError(
            operationID: "order", request: HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/orders/7"),
            requestBody: nil, requestMetadata: .init(), causeDescription: "User handler threw an error.",
            underlyingError: error)
    }

    @Test func `an operation's error becomes a problem, and a report in the operation's scope`() async throws {
        for error in [wrapped(Broken()) as any Error, Broken()] {
            let (response, body, reports) = try await result(of: error)
            #expect(response.status.code == 500 && response.headerFields[.contentType] == ProblemDetails.mediaType)
            #expect(body == #"{"status":500,"title":"Internal error","type":"about:blank"}"#)
            #expect(reports.count == 1 && reports[0].error is Broken && reports[0].scope == ["order"])
            #expect(reports[0].source.fileID == "Shop/order")
        }
    }

    @Test func `the cancellation of a cancelled request isn't reported, and any other error is`() async throws {
        for (error, count) in [(CancellationError() as any Error, 0), (wrapped(CancellationError()), 0), (Broken(), 1)]
        {
            let request = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await result(of: error)
            }
            #expect(try await request.value.reports.count == count)
        }
        // This task wasn't cancelled. Something else was cancelled, and its result is missing.
        #expect(try await result(of: CancellationError()).reports.map(\.role) == [.notice])
    }

    @Test func `a rule determines the response, and the error is reported`() async throws {
        let (response, body, reports) = try await result(of: wrapped(OrderMissing()))
        #expect(response.status.code == 404 && body.contains("There is no such order"))
        #expect(reports.count == 1)
    }

    @Test func `an error with a status below 500 becomes a problem with its fields, and isn't reported`() async throws {
        let (response, body, reports) = try await result(of: wrapped(Gone()))
        #expect(response.status == .gone && response.headerFields[.retryAfter] == "7" && reports.isEmpty)
        #expect(response.headerFields[.contentType] == ProblemDetails.mediaType)
        #expect(body == #"{"status":410,"title":"Gone","type":"about:blank"}"#)
    }

    @Test func `an error with its own status of 500 or above keeps the status, and is reported`() async throws {
        let (response, body, reports) = try await result(of: wrapped(Away()))
        #expect(response.status == .serviceUnavailable && body.contains("Service Unavailable"))
        #expect(reports.count == 1 && reports[0].error is Away)
    }

    @Test func `an error with its own body and a status below 500 is sent unchanged`() async throws {
        let (response, body, reports) = try await result(of: wrapped(Own()))
        #expect(response.status == .conflict && body == "own" && reports.isEmpty)
        #expect(response.headerFields[.contentType] == nil)
    }

    @Test func `a response is returned unchanged`() async throws {
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/orders/7")
        let answer = await middleware.intercept(
            request, body: nil, metadata: .init(), operationID: "order",
            next: { _, _, _ in (HTTPResponse(status: .accepted), nil) })
        #expect(answer.0.status == .accepted && answer.1 == nil)
    }
}
