import ErrorRecording
import ErrorRecovery
import ErrorReplay
import ErrorRouting
import Foundation
import HTTPErrors
import TestSupport
import Testing

/// The suite is in this target because the target combines recorder, client, and circuits.
@Suite("E3: the library's errors are rebuilt if their types are added, without possible secrets", .hangLimit)
struct RebuildingTests {
    private enum ServiceError: Error, Codable, Equatable { case outOfCredit }
    private struct Unknown: Error {}

    private static let problem = HTTPFailure(
        status: 402, headers: ["Content-Type": "application/problem+json", "X-Secret": "secret"],
        body: Data(#"{"type":"/credit","status":402,"title":"t","detail":"secret"}"#.utf8))
    private static let wrongJSON = DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "secret", underlyingError: CocoaError(.propertyListReadCorrupt)))

    private let rebuilding = RebuildableErrors()
        .adding(NetworkError.self).adding(CircuitOpen.self).adding(CircuitChanged.self).adding(HTTPFailure.self)
        .adding(ServiceError.self)

    private let rules = ErrorHandler()
        .on(NetworkError.self) { _ in .stop }
        .on(matching: .status(500...599)) { _ in .stop }
        .on(matching: .transient) { _ in .stop }
        .on(matching: .anywhere(.value(ServiceError.outOfCredit))) { _ in .stop }
        .on(matching: .anywhere(.type(DecodingError.self))) { _ in .stop }
        .on(matching: .type(NetworkError.self).where { $0.neverReachedServer }.named("unsent")) { _ in .stop }
        .on(matching: .anywhere(.type(ProblemDetails.self).where { $0.type == "/credit" }).named("credit")) { _ in .stop
        }
        .on(CircuitOpen.self) { _ in .stop }
        .on(CircuitChanged.self) { _ in .stop }
        .on(ActionFailure.self) { _ in .stop }

    /// Returns a replay of errors through the rules that handled them, and the lines.
    private func replay(_ errors: [any Error]) async throws -> (Replay, String) {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).jsonl").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let recorder = try ErrorRecorder(path: path, rebuilding: rebuilding)
        await withErrorBus(handler: rules) { bus in
            bus.observeUntilEnd { recorder.record($0) }
            for error in errors { bus.post(error) }
        }
        await recorder.close(within: .seconds(300))
        let text = try String(contentsOfFile: path, encoding: .utf8)
        var replay = Replay(rules: rules, rebuilding: rebuilding)
        for line in text.split(separator: "\n") { replay.add(line) }
        return (replay, text)
    }
}

extension RebuildingTests {
    @Test func `each error is handled by the same rule in a replay`() async throws {
        let timedOut = NetworkError(.timeout, cause: URLError(.timedOut), mayBeSentAgain: false)
        let errors: [any Error] =
            NetworkError.Kind.allCases.map { NetworkError($0, detail: "secret") } + [
                timedOut, NetworkError(.connection, cause: URLError(.cannotConnectToHost), neverReachedServer: true),
                NetworkError(HTTPFailure(status: 503)), NetworkError(Self.problem), Self.problem,
                NetworkError(.service, cause: ServiceError.outOfCredit), NetworkError(decoding: Self.wrongJSON),
                Self.wrongJSON, CircuitChanged(name: "payments", state: .open, cause: timedOut),
                CircuitChanged(name: "payments", state: .halfOpen),
                CircuitOpen(name: "payments", retryAfter: .seconds(3), cause: NetworkError(Self.problem)),
                CircuitOpen(name: "payments", retryAfter: nil, cause: CircuitChanged(name: "payments", state: .open)),
                NetworkError(
                    .server, cause: CircuitOpen(name: "payments", retryAfter: nil, cause: ServiceError.outOfCredit)),
                ActionFailure(
                    error: timedOut, report: ErrorReport(error: Self.problem, source: .init()),
                    rule: RuleDescription(matcher: "always", source: .init())),
            ]
        let (replay, text) = try await replay(errors)
        expect(replay.unchanged, equals: errors.count, "\(replay)")
        for line in text.split(separator: "\n") {
            let value = try JSONDecoder().decode(ErrorRecord.self, from: Data(line.utf8)).value
            #expect(value?.contains("secret") == false, "\(line)")
        }
    }

    @Test func `an error with an unknown underlying error isn't rebuilt, but its type can still decide`() async throws {
        let errors: [any Error] = [
            NetworkError(.service, cause: Unknown()), CircuitChanged(name: "payments", state: .open, cause: Unknown()),
            CircuitOpen(name: "payments", retryAfter: nil, cause: Unknown()),
        ]
        let (replay, _) = try await replay(errors)
        expect(replay.unchanged, equals: 2, "\(replay)")
        expect(Array(replay.notRebuilt.values), equals: [1], "\(replay)")
        #expect("\(replay)".contains("unsent at "), "\(replay)")
    }

    @Test func `the errors can be coded without a recorder too`() throws {
        let error = NetworkError(.timeout, cause: URLError(.timedOut), failure: HTTPFailure(status: 504))
        let copy = try JSONDecoder().decode(NetworkError.self, from: JSONEncoder().encode(error))
        expect([copy.kind, error.kind], equals: [.timeout, .timeout])
        expect((copy.cause as? URLError)?.code, equals: .timedOut)
        expect(copy.failure?.status, equals: 504)
        let unknown = NetworkError(.service, cause: ServiceError.outOfCredit)
        #expect(try JSONDecoder().decode(NetworkError.self, from: JSONEncoder().encode(unknown)).cause == nil)
    }
}
