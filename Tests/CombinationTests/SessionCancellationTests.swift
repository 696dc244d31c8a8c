import ErrorPresentation
import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import HTTPErrors
import TestSupport
import Testing

/// A session cancels its own tasks after it refused a challenge or was invalidated.
///
/// No caller requested that.
@MainActor
@Suite("A cancellation by the session itself is reported, counted, and shown", .tags(.http1), .hangLimit)
struct SessionCancellationTests {
    nonisolated private struct Cancelling: HTTPTransport {
        let code: URLError.Code
        func send(_ request: TransportRequest) async throws -> TransportResponse { throw URLError(code) }
    }

    nonisolated private struct Save: APIRequest {
        typealias Response = NoContent
        var path: String { "documents/7" }
    }

    @Test(
        "it is posted, opens circuits, and appears as an action's alert and as a loader's state",
        arguments: [URLError.Code.cancelled, .userCancelledAuthentication])
    func isAFailure(_ code: URLError.Code) async throws {
        let base = try #require(URL(string: "https://example.org"))
        let client = APIClient(base: base, transport: Cancelling(code: code))
        let recorded = await withRecordedErrors { bus in
            await bus.catching { _ = try await client.send(Save()) }
            let circuit = CircuitBreaker("save", counting: .any, minimumCalls: 1, errors: bus)
            _ = try? await circuit.run { try await client.send(Save()) }
            expect(circuit.state, equals: .open)
            let presenter = ErrorPresenter()
            await presenter.run(failureTitle: "Saving", errors: bus) { _ = try await client.send(Save()) }
            #expect(presenter.alert != nil)
            let loader = Loader(errors: bus) { () async throws(NetworkError) in try await client.send(Save()) }
            await loader.load()
            #expect(loader.state.error != nil)
        }
        // The circuit's report is the notice that it opened.
        expect(recorded.reports.map(\.role), equals: [.failure, .notice, .failure, .failure])
    }
}
