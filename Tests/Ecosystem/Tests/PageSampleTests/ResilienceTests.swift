import ErrorRecovery
import ErrorRouting
import Foundation
import HTTPErrors
import HTTPTypes
import OpenAPIRuntime
import Synchronization
import Testing

@testable import OpenAPISamples

/// A service that answers with statuses or fails, one step after the other; the last step is repeated.
private final class Service: Sendable {
    struct Away: Error {}

    private let steps: Mutex<[Int?]>
    private let received = Mutex(0)

    /// - Parameter steps: Statuses; nil for a request that fails.
    init(_ steps: Int?...) { self.steps = Mutex(steps) }

    var count: Int { received.withLock { $0 } }

    /// Answers or throws as the generated code does, which wraps the transport's errors.
    func next() throws -> (HTTPResponse, HTTPBody?) {
        received.withLock { $0 += 1 }
        let step = steps.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        if let step { return (HTTPResponse(status: .init(code: step)), nil) }
        throw ClientError(
            operationID: "order", operationInput: "", causeDescription: "Transport threw an error.",
            underlyingError: Away())
    }
}

@Suite("The client middleware on the page about OpenAPI retries requests and opens a circuit", .timeLimit(.minutes(2)))
struct ResilienceTests {
    private func middleware(_ circuit: String = "shop") -> Resilience {
        var middleware = Resilience(circuit)
        middleware.policy = RetryPolicy(maxAttempts: 3, backoff: .constant(.zero, jitter: .none))
        return middleware
    }

    private func status(
        _ service: Service, _ method: HTTPRequest.Method = .get, _ body: HTTPBody? = nil, by middleware: Resilience
    ) async throws -> Int {
        let request = HTTPRequest(method: method, scheme: nil, authority: nil, path: "/orders/7")
        let url = try #require(URL(string: "http://localhost"))
        let answer = try await middleware.intercept(
            request, body: body, baseURL: url, operationID: "order", next: { _, _, _ in try service.next() })
        return answer.0.status.code
    }

    @Test func `a temporary failure is tried again, and the last response is returned`() async throws {
        for (service, expected, count) in [
            (Service(503, 200), 200, 2), (Service(503), 503, 3), (Service(nil, 200), 200, 2), (Service(404), 404, 1),
            (Service(429, 500, 201), 201, 3),
        ] {
            #expect(try await status(service, by: middleware()) == expected)
            #expect(service.count == count)
        }
    }

    @Test func `the transport's error is thrown if all attempts fail`() async throws {
        let service = Service(nil)
        let error = await #expect(throws: ClientError.self) { try await status(service, by: middleware()) }
        #expect(error?.underlyingError is Service.Away)
        #expect(service.count == 3)
    }

    @Test func `a request that must not be sent twice is sent once`() async throws {
        let once = HTTPBody([1], length: .known(1), iterationBehavior: .single)
        for (method, body) in [(HTTPRequest.Method.post, nil), (.patch, nil), (.put, once)] {
            let service = Service(503, 200)
            #expect(try await status(service, method, body, by: middleware()) == 503)
            #expect(service.count == 1)
        }
    }

    @Test func `an open circuit refuses requests, which don't reach the service`() async throws {
        let (service, middleware) = (Service(nil), middleware("down"))
        for _ in 0..<4 { await #expect(throws: (any Error).self) { try await status(service, by: middleware) } }
        #expect(service.count == 10)
        await #expect(throws: CircuitOpen.self) { try await status(service, by: middleware) }
        #expect(service.count == 10)
    }

    @Test func `responses below 500 don't open the circuit`() async throws {
        let (service, middleware) = (Service(404), middleware("up"))
        for _ in 0..<20 { #expect(try await status(service, by: middleware) == 404) }
        #expect(middleware.circuit.state == .closed)
    }

    @Test func `each attempt that a retry follows is posted, with its operation`() async throws {
        let attempts = Mutex<[ErrorReport]>([])
        try await withErrorBus(handler: ErrorHandler()) { bus in
            let observation = bus.observe { report in attempts.withLock { $0.append(report) } }
            let status = try await status(Service(503, nil, 200), by: middleware())
            #expect(status == 200)
            _ = await bus.flush(within: .seconds(60))
            withExtendedLifetime(observation) {}
        }
        let reports = attempts.withLock { $0 }
        #expect(reports.map(\.role) == [.attempt, .attempt])
        #expect(reports.allSatisfy { $0.metadata["operation"] == "order" })
        #expect(reports.map(\.kindName) == ["server", "order"])
    }

    @Test func `an error shows its operation and cause, but neither the input nor the request`() throws {
        let error = ClientError(
            operationID: "order", operationInput: "secret", causeDescription: "Transport threw an error.",
            underlyingError: Service.Away())
        let details = error.errorDetails
        #expect(details.kind == "order" && details.message == "Transport threw an error.")
        #expect(ErrorMatcher.causedBy(Service.Away.self) ~= error)
        let report = ErrorReport(error: error, source: .init())
        #expect(!"\(report)".contains("secret") && "\(report)".contains("Away"), "\(report)")
    }

    @Test func `a wrapped cancellation counts as a cancellation`() {
        for (cause, isCancellation) in [(CancellationError() as any Error, true), (Service.Away(), false)] {
            let error = ClientError(
                operationID: "order", operationInput: "", causeDescription: "", underlyingError: cause)
            #expect((ErrorMatcher.cancellation ~= error) == isCancellation)
        }
    }
}
