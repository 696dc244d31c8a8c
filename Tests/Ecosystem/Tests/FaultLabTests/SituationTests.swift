import FaultServer
import Foundation
import HTTPErrors
import Testing

@Suite("The same situation is the same kind of error on every transport", .timeLimit(.minutes(10)))
struct SituationTests {
    @Test("Each situation has its outcome", arguments: TransportUnderTest.all)
    func outcomes(of transport: TransportUnderTest) async throws {
        // One server and one client for all, as a program has them: what one situation leaves behind must not change
        // the next.
        try await withLab(transport) { server, client in
            for situation in Situation.all {
                let observed = await Observation(sending: situation.message(server), by: client)
                let cause = observed.cause.map { "\(type(of: $0)): \($0)" } ?? "an answer"
                #expect(observed.outcome == situation.expected, "\(situation.name): \(cause)")
                if let body = situation.checksBody, let answer = observed.answer {
                    #expect(String(decoding: answer.body, as: UTF8.self) == body, "\(situation.name)")
                }
                report(situation, observed, on: transport)
            }
        }
    }

    /// Prints the table of what was observed, where somebody asks for it.
    private func report(_ situation: Situation, _ observed: Observation, on transport: TransportUnderTest) {
        guard ProcessInfo.processInfo.environment["ERROR_BUS_TABLE"] != nil else { return }
        let cause = observed.cause.map { "\(type(of: $0)) \($0)" } ?? "status \(observed.answer?.status ?? 0)"
        print("| \(situation.name) | \(transport.name) | \(cause) | \(observed.outcome.testDescription) |")
    }

    @Test(
        "Each situation has its outcome on a connection of its own",
        arguments: Situation.all.filter { !$0.isStatus }, TransportUnderTest.all)
    func outcome(of situation: Situation, on transport: TransportUnderTest) async throws {
        try await withLab(transport, options: situation.options) { server, client in
            let observed = await Observation(sending: situation.message(server), by: client)
            let cause = observed.cause.map { "\(type(of: $0)): \($0)" } ?? "an answer"
            #expect(observed.outcome == situation.expected, "\(cause)")
        }
    }

    @Test("A wait is read in each of its four forms", arguments: TransportUnderTest.all)
    func retryAfter(on transport: TransportUnderTest) async throws {
        try await withLab(transport) { server, client in
            for form in ["seconds", "imf", "rfc850", "asctime"] {
                let message = HTTPMessage(url: server.url("/retry-after/\(form)"))
                let observed = await Observation(sending: message, by: client)
                #expect(observed.error?.failure?.retryAfter == .seconds(120), "\(form)")
            }
        }
    }

    @Test("A cancelled request ends in a cancellation, and its connection ends", arguments: TransportUnderTest.all)
    func cancellation(on transport: TransportUnderTest) async throws {
        try await withLab(transport) { server, client in
            for path in ["/hang", "/slow-headers", "/slow-body", "/drip", "/endless-chunks"] {
                let message = HTTPMessage(url: server.url(path), headers: ["X-Test-Id": path])
                let task = Task { await Observation(sending: message, by: client) }
                try await server.waitForRequests(of: path)
                task.cancel()
                #expect(await task.value.outcome == .failure(.cancelled), "\(path)")
            }
        }
    }

    @Test("Method, headers and body arrive as they were given", arguments: TransportUnderTest.all)
    func echo(on transport: TransportUnderTest) async throws {
        try await withLab(transport) { server, client in
            let message = HTTPMessage(
                method: "PATCH", url: server.url("/echo?a=b"), headers: ["X-Test-Id": "echo", "X-Colour": "blue"],
                body: Data("a body".utf8))
            let answer = try await client.send(message)
            let echo = try JSONDecoder().decode(Echo.self, from: answer.body)
            #expect(echo.method == "PATCH" && echo.path == "/echo" && echo.body == "a body")
            #expect(echo.headers["x-colour"] == "blue")
            #expect(server.count(of: "echo") == 1)
        }
    }

    private struct Echo: Decodable {
        let method: String
        let path: String
        let headers: [String: String]
        let body: String
    }
}
