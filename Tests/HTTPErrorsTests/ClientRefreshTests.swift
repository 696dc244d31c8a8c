import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

@Suite("H6: a refresh has a limit, and a token that is refused again a pause", .tags(.http6), .hangLimit)
struct ClientRefreshTests {}

extension ClientRefreshTests {
    private struct WrongPassword: Error {}

    /// A server that takes one token, and says 401 to all others.
    private func server(taking token: String, timeout: Duration? = nil) -> Script {
        Script(timeout: timeout) { message, _ in
            TransportResponse(status: message.headers["Authorization"] == "Bearer \(token)" ? 204 : 401)
        }
    }

    @Test("a 401 that met no token of the client's is the service's own: nothing is refreshed, or sent again")
    func otherMeaning() async throws {
        var login = Call(NoContent.self, method: "POST")
        login.usesToken = false
        let basic = Call(NoContent.self, method: "POST", headers: ["Authorization": "Basic eA=="])
        struct Signing: HTTPInterceptor {
            func prepare(_ request: inout TransportRequest) { request.headers["Authorization"] = "Signature x" }
        }
        let cases: [(Call<NoContent>, [any HTTPInterceptor], String?)] = [
            (login, [], nil), (basic, [], "Basic eA=="), (Call(NoContent.self), [Signing()], "Signature x"),
        ]
        for (call, interceptors, authorization) in cases {
            let script = server(taking: "none")
            let token = BearerToken("t") {
                Issue.record("refreshed")
                return "u"
            }
            let client = try APIClient(script, token: token, interceptors: interceptors) {
                $0.status == 401 ? WrongPassword() : nil
            }
            let error = await #expect(throws: NetworkError.self) { try await client.send(call) }
            #expect(error?.service(as: WrongPassword.self) != nil)
            expect(script.requests.map { $0.headers["Authorization"] }, equals: [authorization])
        }
    }

    @Test("after a refreshed token was refused too none is fetched for the pause; then one is, and so is one later on")
    func pause() async throws {
        for (pause, refreshes) in [(Duration.seconds(3_600), 1), (.seconds(Int64.max), 1), (.zero, 10)] {
            let count = Locked(0)
            let script = server(taking: "none")
            let token = BearerToken("0", pause: pause) { "\(count.withLock { $0 += 1; return $0 })" }
            let client = try APIClient(script, token: token)
            for _ in 0..<10 {
                let error = await #expect(throws: NetworkError.self) { try await client.send(Call(NoContent.self)) }
                expect(error?.kind, equals: .unauthorized)
                expect(error?.failure?.status, equals: 401)
            }
            expect(count.withLock { $0 }, equals: refreshes)
            expect(script.requests.count, equals: 10 + refreshes)
        }
        // One that worked may run out at once.
        let valid = Locked("1")
        let count = Locked(0)
        let script = Script { message, _ in
            TransportResponse(status: message.headers["Authorization"] == "Bearer \(valid.withLock { $0 })" ? 204 : 401)
        }
        let client = try APIClient(script, token: BearerToken("0") { "\(count.withLock { $0 += 1; return $0 })" })
        for number in 1...5 {
            valid.withLock { $0 = "\(number)" }
            _ = try await client.send(Call(NoContent.self))
        }
        expect(count.withLock { $0 }, equals: 5)
    }

    @Test("a request whose new token is being replaced, for another request, waits for the next and is sent with that")
    func replacedWhileSent() async throws {
        // "1" is taken back at once: what is sent with it meets a refresh that runs already.
        let (number, held, go) = (Locked(0), Gate(), Gate())
        let script = Script { message, number in
            let sent = message.headers["Authorization"] ?? ""
            let isFirst = message.url.path().hasSuffix("first")
            if sent == "Bearer 1", isFirst {
                held.open()
                await go.wait()
            }
            return TransportResponse(status: sent == "Bearer 2" ? 204 : 401)
        }
        let second = Gate()
        let token = BearerToken("0") {
            let next = number.withLock {
                $0 += 1; return $0
            }
            if next == 2 {
                second.open()
                go.open()
                // The first request has met its second 401 before this ends.
                while script.requests.count < 3 { await Task.yield() }
            }
            return "\(next)"
        }
        let client = try APIClient(script, token: token)
        var first = Call(NoContent.self, method: "POST")
        first.path = "first"
        let task = Task { [first] in try await client.send(first) }
        await held.wait()
        // Sent with "1" from the beginning.
        let other = Task { try await client.send(Call(NoContent.self)) }
        await second.wait()
        _ = try await task.value
        _ = try await other.value
        expect(number.withLock { $0 }, equals: 2)
        let sent = script.requests.filter { $0.url.path().hasSuffix("first") }.map { $0.headers["Authorization"] }
        expect(sent, equals: ["Bearer 0", "Bearer 1", "Bearer 2"])
    }

    @Test(
        "a refresh that takes longer than its limit is cancelled, and fails for all who wait; the next one starts anew")
    func limit() async throws {
        let (count, cancelled) = (Locked(0), Gate())
        let token = BearerToken("old", limit: .seconds(1)) {
            if count.withLock({
                $0 += 1; return $0
            }) > 1 {
                return "new"
            }
            await withTaskCancellationHandler {
                await cancelled.wait()
            } onCancel: {
                cancelled.open()
            }
            return "late"
        }
        let script = server(taking: "new")
        let client = try APIClient(script, token: token)
        let recorded = await withRecordedErrors { _ in
            await withTaskGroup(of: NetworkError?.self) { group in
                for _ in 0..<5 {
                    group.addTask {
                        await #expect(throws: NetworkError.self) { try await client.send(Call(NoContent.self)) }
                    }
                }
                for await error in group {
                    expect("\(error.map { "\($0)" } ?? "")", equals: "unauthorized, URLError -1001, HTTP 401")
                }
            }
        }
        expect(recorded.reports.count, equals: 1)
        await cancelled.wait()
        _ = try await client.send(Call(NoContent.self))
        expect(count.withLock { $0 }, equals: 2)
    }

    @Test("a refresh that hangs costs a request its time, its own or the transport's, and not the next one")
    func hanging() async throws {
        for (own, transport) in [(Duration.milliseconds(20), nil), (nil, Duration.milliseconds(20))] {
            let (count, never) = (Locked(0), Gate())
            let script = server(taking: "2", timeout: transport)
            let token = BearerToken("0") {
                let number = count.withLock {
                    $0 += 1; return $0
                }
                if number == 1 { await never.wait() }
                return "\(number)"
            }
            let client = try APIClient(script, token: token)
            var call = Call(NoContent.self)
            call.timeout = own
            let error = await #expect(throws: NetworkError.self) { try await client.send(call) }
            expect(error?.kind, equals: .timeout)
            call.timeout = .seconds(600)
            _ = try await client.send(call)
            // The old one's token comes too late to replace the new one.
            never.open()
            for _ in 0..<100 { await Task.yield() }
            _ = try await client.send(call)
            expect(count.withLock { $0 }, equals: 2)
        }
    }

    @Test("a limit or a pause that is none stops the program, and says so")
    func misuse() async {
        let limit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = BearerToken("", limit: .zero) { "" }
        }
        #expect(limit.standardErrorText.contains("BearerToken: limit must be positive, but is 0.0 seconds"))
        let pause = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = BearerToken("", pause: .seconds(-1)) { "" }
        }
        #expect(pause.standardErrorText.contains("BearerToken: pause must not be negative, but is -1.0 seconds"))
    }
}
