import ErrorPresentation
import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import HTTPErrors
import Testing

/// The real objects that a program runs on: two buses, each with a scope, two circuits, and a presenter.
@MainActor
final class Stage {
    /// The number of errors of a kind that the second bus's flood limit lets through.
    static let passing = 2
    private static let counted: ErrorMatcher<any Error> = .type(Flaky.self) || .network(.server, .connection)

    let buses: [ErrorBus]
    let presenter = ErrorPresenter(rules: ErrorMap(default: .alert), limit: 100_000)
    let circuits: [CircuitBreaker]
    private(set) var attempts = 0
    private let clock = ManualClock()
    private let scopes: [ErrorScope]
    private var observation: ErrorObservation?
    private var outcomes: ArraySlice<Outcome> = []

    init() {
        let limit = FloodLimit(first: Self.passing, per: .seconds(1_000)) { "\($0.typeName) \($0.scope)" }
        let first = ErrorBus(handler: ErrorHandler().ignore(Expected.self))
        let second = ErrorBus(
            handler: ErrorHandler().on(Fatal.self) { _ in .stop },
            configuration: .init(floodLimit: limit, clock: ManualClock())
        )
        buses = [first, second]
        scopes = buses.map { $0.scope("shop", handler: ErrorHandler().on(Fatal.self) { _ in .next }) }
        let clock = clock
        circuits = buses.enumerated().map { number, bus in
            CircuitBreaker(
                "\(number)", counting: Self.counted, minimumCalls: Model.minimumCalls, jitter: 0, clock: clock,
                errors: bus)
        }
        observation = presenter.observe(first)
    }

    func take(_ event: Event) async {
        switch event {
        case .pause: clock.advance(by: .seconds(100))
        case .run(let operation): await run(operation)
        }
    }

    private func poster(_ destination: Destination) -> any ErrorPosting {
        destination.path.isEmpty ? buses[destination.bus] : scopes[destination.bus]
    }

    private func run(_ operation: Operation) async {
        outcomes = operation.outcomes[...]
        switch operation.end {
        case .catching(let destination):
            await poster(destination).catching { try await self.run(operation, in: operation.layers[...]) }
        case .task(let destination):
            await poster(destination).task { try await self.run(operation, in: operation.layers[...]) }.value
        case .loader(let destination):
            let loader = Loader(errors: poster(destination)) { () async throws in
                try await self.run(operation, in: operation.layers[...])
            }
            await loader.load()
        case .action(let destination):
            await presenter.run(failureTitle: "Shopping", errors: poster(destination)) {
                try await self.run(operation, in: operation.layers[...])
            }
        }
    }

    private func policy(_ attempts: Int) -> RetryPolicy {
        RetryPolicy(maxAttempts: attempts, backoff: .constant(.zero, jitter: .none))
    }

    private func run(_ operation: Operation, in layers: ArraySlice<Layer>) async throws {
        switch layers.first {
        case .retry(let attempts, let destination):
            try await retry(policy(attempts), errors: destination.map(poster)) { _ in
                try await self.run(operation, in: layers.dropFirst())
            }
        case .circuit(let number):
            try await circuits[number].run { try await self.run(operation, in: layers.dropFirst()) }
        case nil:
            guard let client = operation.client else { return try attempt() }
            let base = try #require(URL(string: "https://shop.example"))
            let api = APIClient(
                base: base, transport: Responses(stage: self),
                retry: client.attempts.map(policy), errors: poster(client.errors))
            _ = try await api.send(Order(method: client.method))
        }
    }

    private func attempt() throws {
        attempts += 1
        switch outcomes.popFirst() {
        case .flaky: throw Flaky()
        case .fatal: throw Fatal()
        case .expected: throw Expected()
        case .cancelled: throw CancellationError()
        default: return
        }
    }

    fileprivate func response() throws -> TransportResponse {
        attempts += 1
        switch outcomes.popFirst() {
        case .unreachable: throw URLError(.cannotConnectToHost)
        case .busy: return TransportResponse(status: 429)
        case .unavailable: return TransportResponse(status: 503)
        case .missing: return TransportResponse(status: 404)
        default: return TransportResponse(status: 204)
        }
    }
}

/// A transport that returns the outcomes of a program as responses.
private struct Responses: HTTPTransport {
    let stage: Stage

    func send(_ request: TransportRequest) async throws -> TransportResponse { try await stage.response() }
}

private struct Order: APIRequest {
    typealias Response = NoContent
    let method: HTTPMethod
    var path: String { "orders" }
    var body: (any Encodable & Sendable)? { method == .post ? ["item": "book"] : nil }
}

extension Model.Post {
    init(_ report: ErrorReport) {
        let error =
            switch report.error {
            case let error as NetworkError: error.kind.rawValue
            case let change as CircuitChanged: change.state.rawValue
            default: "\(type(of: report.error))"
            }
        self.init(role: report.role.name, error: error, path: report.scope)
    }
}
