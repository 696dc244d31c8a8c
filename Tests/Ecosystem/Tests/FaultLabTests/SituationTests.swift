import FaultServer
import Foundation
import HTTPErrors
import Testing

extension FaultLab {
    @Suite("The same situation causes the same kind of error on every transport", .tags(.http7))
    struct SituationTests {
        @Test(
            "Each situation has its outcome",
            arguments: Situation.all.filter { !$0.isStatus }, TransportUnderTest.all)
        func outcome(of situation: Situation, on transport: TransportUnderTest) async throws {
            if transport.fatalPaths.contains(situation.path) { return }
            try await withLab(transport, options: situation.options) { server, client in
                await check(situation, server, client, transport)
            }
        }

        @Test("Each status has its outcome", arguments: TransportUnderTest.all)
        func statuses(on transport: TransportUnderTest) async throws {
            // Use one server and one client for all statuses: no status may affect the next one.
            try await withLab(transport) { server, client in
                for situation in Situation.all where situation.isStatus {
                    await check(situation, server, client, transport)
                }
            }
        }

        private func check(
            _ situation: Situation,
            _ server: FaultServer,
            _ client: any HTTPTransport,
            _ transport: TransportUnderTest
        ) async {
            let observed = await Observation(sending: situation.message(server), by: client)
            let isURLSession = transport.name == TransportUnderTest.urlSession.name
            let expected = isURLSession ? situation.onURLSession ?? situation.expected : situation.expected
            #expect(observed.outcome == expected, "\(situation.name): \(observed.causeText)")
            if let body = situation.checksBody, let response = observed.response {
                #expect(String(decoding: response.body, as: UTF8.self) == body, "\(situation.name)")
            }
            Table.row(situation.name, transport.name, observed.causeText, observed.outcome.testDescription)
        }

        @Test("A switch to a protocol that wasn't requested is an error", arguments: TransportUnderTest.all)
        func switchedProtocol(on transport: TransportUnderTest) async throws {
            try await withLab(transport) { server, client in
                let message = TransportRequest(url: server.url("/status/101"))
                let observed = await Observation(sending: message, by: client)
                #expect(observed.outcome == .failure(transport.switchedProtocol), "\(observed.causeText)")
                Table.row("status 101, unasked", transport.name, observed.causeText, observed.outcome.testDescription)
            }
        }

        #if canImport(FoundationNetworking)
            @Test(
                "URLSession crashes the process", .serialized,
                arguments: TransportUnderTest.urlSessionFatalPaths.sorted())
            func stopsTheProcess(at path: String) async throws {
                try Data(path.utf8).write(to: Self.pathFile(of: getpid()))
                defer { try? FileManager.default.removeItem(at: Self.pathFile(of: getpid())) }
                // If this fails one day, remove the path from `fatalPaths`, and the limitation from the documentation.
                let end = await #expect(processExitsWith: .failure, observing: [\.exitStatus]) {
                    let path = try String(contentsOf: Self.pathFile(of: getppid()), encoding: .utf8)
                    try await withLab(.urlSession) { server, client in
                        _ = try? await client.send(TransportRequest(url: server.url(path)))
                    }
                }
                // Expect a trap: the lab's own failures end the process too, but with an exit code.
                let isTrap = if case .signal? = end?.exitStatus { true } else { false }
                #expect(isTrap, "\(String(describing: end?.exitStatus))")
            }

            /// The file from which the exit test's process reads its path, because capture lists require Swift 6.3.
            private static func pathFile(of process: pid_t) -> URL {
                FileManager.default.temporaryDirectory.appending(path: "fault-lab-path-\(process)")
            }
        #endif

        @Test("Retry-After is read in each of its four forms", arguments: TransportUnderTest.all)
        func retryAfter(on transport: TransportUnderTest) async throws {
            try await withLab(transport) { server, client in
                for form in ["seconds", "imf", "rfc850", "asctime"] {
                    let message = TransportRequest(url: server.url("/retry-after/\(form)"))
                    let observed = await Observation(sending: message, by: client)
                    #expect(observed.error?.failure?.retryAfter == .seconds(120), "\(form)")
                }
            }
        }

        @Test(
            "H7: a cancelled request throws a cancellation and disconnects", arguments: TransportUnderTest.all
        )
        func cancellation(on transport: TransportUnderTest) async throws {
            try await withLab(transport, options: .init(transferLimit: .seconds(10))) { server, client in
                let paths = ["/hang", "/slow-headers", "/drip-headers", "/slow-body", "/drip", "/endless-chunks"]
                for path in paths {
                    let message = TransportRequest(url: server.url(path), headers: ["X-Test-Id": path])
                    let task = Task { await Observation(sending: message, by: client) }
                    try await server.waitForRequests(of: path)
                    task.cancel()
                    #expect(await task.value.outcome == .failure(.cancelled), "\(path)")
                }
                try await server.waitForConnections(atMost: 0)
            }
        }

        @Test(
            "H7: the connection of a request that reaches its time limit is closed, even after a POST",
            arguments: TransportUnderTest.all)
        func timeIsUp(on transport: TransportUnderTest) async throws {
            try await withLab(transport) { server, client in
                let paths = ["/hang", "/slow-headers", "/drip-headers", "/slow-body", "/drip", "/drip-headers"]
                for (number, path) in paths.enumerated() {
                    let method: HTTPMethod = number % 2 == 0 ? .get : .post
                    let message = TransportRequest(method: method, url: server.url(path), timeout: .milliseconds(300))
                    #expect(await Observation(sending: message, by: client).outcome == .failure(.timeout), "\(path)")
                }
                try await server.waitForConnections(atMost: 0)
            }
        }

        @Test("With no time left, nothing is sent", arguments: TransportUnderTest.all)
        func noTime(on transport: TransportUnderTest) async throws {
            try await withLab(transport) { server, client in
                for limit in [0, -5, -10_000_000_000_000_000] {
                    let message = TransportRequest(url: server.url("/json"), timeout: .seconds(limit))
                    #expect(await Observation(sending: message, by: client).outcome == .failure(.timeout), "\(limit)")
                }
                // An earlier request would arrive before this request.
                #expect(
                    await Observation(sending: .init(url: server.url("/empty")), by: client).outcome == .success(200))
                #expect(server.count(path: "/json") == 0)
            }
        }

        @Test("The longest possible time limit is accepted without a trap", arguments: TransportUnderTest.all)
        func limits(on transport: TransportUnderTest) async throws {
            try await withLab(transport, options: .init(transferLimit: .seconds(Int64.max))) { server, client in
                for limit in [Duration.seconds(Int64.max), Duration(attoseconds: .max)] {
                    let message = TransportRequest(url: server.url("/slow-headers?ms=50"), timeout: limit)
                    #expect(await Observation(sending: message, by: client).outcome == .success(200))
                }
            }
        }

        @Test(
            "H7: twenty abandoned requests don't delay the next one", .timeLimit(.minutes(2)),
            arguments: TransportUnderTest.all)
        func abandonedRequests(on transport: TransportUnderTest) async throws {
            // If the request had to wait for the abandoned requests, it would take five minutes.
            try await withLab(transport, options: .init(connections: 20, transferLimit: .seconds(300))) {
                server, client in
                let message = TransportRequest(url: server.url("/hang"), headers: ["X-Test-Id": "given up"])
                let tasks = (0..<20).map { _ in Task { await Observation(sending: message, by: client) } }
                try await server.waitForRequests(of: "given up", count: 20)
                for task in tasks { task.cancel() }
                for task in tasks { #expect(await task.value.outcome == .failure(.cancelled)) }
                let last = await Observation(sending: TransportRequest(url: server.url("/json?a=1")), by: client)
                #expect(last.outcome == .success(200))
            }
        }

        @Test(
            "H7: during the endless body of a 3xx response, every other request ends by its own limit",
            .timeLimit(.minutes(2)), arguments: TransportUnderTest.all, [302, 306])
        func endlessRedirect(on transport: TransportUnderTest, _ status: Int) async throws {
            try await withLab(transport) { server, client in
                try await FaultServer.withServer { endless in
                    let message = TransportRequest(
                        url: endless.url("/endless-chunks?status=\(status)"), headers: ["X-Test-Id": "endless"])
                    let redirect = Task { await Observation(sending: message, by: client) }
                    try await endless.waitForRequests(of: "endless")
                    for _ in 0..<10 {
                        let hanging = Task { await Observation(sending: .init(url: server.url("/hang")), by: client) }
                        for method in [HTTPMethod.get, .post] {
                            let limited = TransportRequest(
                                method: method, url: server.url("/json"), timeout: .milliseconds(300))
                            let outcome = await Observation(sending: limited, by: client).outcome
                            #expect(outcome == .success(200) || outcome == .failure(.timeout))
                        }
                        hanging.cancel()
                        #expect(await hanging.value.outcome == .failure(.cancelled))
                    }
                    // A transport that receives the head stops at the body limit. A cancelled call ends immediately,
                    // although its transfer might continue until the server stops sending.
                    redirect.cancel()
                    let ends: [Outcome] = [.failure(.cancelled), .failure(.http)]
                    #expect(ends.contains(await redirect.value.outcome))
                    if !transport.losesRedirects { try await endless.waitForConnections(atMost: 0) }
                }
                for method in [HTTPMethod.get, .post] {
                    let message = TransportRequest(method: method, url: server.url("/json"))
                    #expect(await Observation(sending: message, by: client).outcome == .success(200))
                }
            }
        }

        @Test("H7: an abandoned upload isn't completed later", arguments: TransportUnderTest.all)
        func abandonedUpload(on transport: TransportUnderTest) async throws {
            try await withLab(transport) { server, client in
                // Send more than the buffers of two sockets can hold.
                let message = TransportRequest(
                    method: .post, url: server.url("/unread"), headers: ["X-Test-Id": "upload"],
                    body: Data(count: 64 << 20))
                let task = Task { await Observation(sending: message, by: client) }
                try await server.waitForUnread()
                task.cancel()
                #expect(await task.value.outcome == .failure(.cancelled))
                server.resumeReading()
                // Wait until the connections have ended: before that, the upload could still arrive.
                try await server.waitForConnections(atMost: 0)
                #expect(server.count(of: "upload") == 0)
            }
        }

        @Test("Method, headers, and body arrive unchanged", arguments: TransportUnderTest.all)
        func echo(on transport: TransportUnderTest) async throws {
            try await withLab(transport) { server, client in
                let message = TransportRequest(
                    method: .patch, url: server.url("/echo?a=b"), headers: ["X-Test-Id": "echo", "X-Colour": "blue"],
                    body: Data("a body".utf8))
                let response = try await client.send(message)
                let echo = try JSONDecoder().decode(Echo.self, from: response.body)
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
}
