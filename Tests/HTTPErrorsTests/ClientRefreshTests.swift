import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

@Suite("H6: a refresh has a time limit, and a pause follows a token that is refused again", .tags(.http6), .hangLimit)
struct ClientRefreshTests {}

extension ClientRefreshTests {
    private struct WrongPassword: Error {}

    /// A server that accepts one token and responds to all others with 401.
    private func server(taking token: String, timeout: Duration? = nil) -> Script {
        Script(timeout: timeout) { message, _ in
            TransportResponse(status: message.headers["Authorization"] == "Bearer \(token)" ? 204 : 401)
        }
    }

    @Test("a 401 for a request without the client's token doesn't cause a refresh, and the request isn't sent again")
    func otherMeaning() async throws {
        var login = Call(NoContent.self, method: .post)
        login.usesToken = false
        let basic = Call(NoContent.self, method: .post, headers: ["Authorization": "Basic eA=="])
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

    @Test("if the server refuses a new token too, the next token is fetched after the pause, and so are later ones")
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
        // A token that worked can expire immediately.
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

    @Test("if another request is replacing a request's new token, the request waits and is sent with the next one")
    func replacedWhileSent() async throws {
        // The server revokes "1" immediately, so it refuses requests with that token while a refresh is running.
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
                // Don't return before the first request has received its second 401.
                await eventually("the first request is sent a second time") { script.requests.count >= 3 }
            }
            return "\(next)"
        }
        let client = try APIClient(script, token: token)
        var first = Call(NoContent.self, method: .post)
        first.path = "first"
        let task = Task { [first] in try await client.send(first) }
        await held.wait()
        // This request is sent with "1" from the start.
        let other = Task { try await client.send(Call(NoContent.self)) }
        await second.wait()
        _ = try await task.value
        _ = try await other.value
        expect(number.withLock { $0 }, equals: 2)
        let sent = script.requests.filter { $0.url.path().hasSuffix("first") }.map { $0.headers["Authorization"] }
        expect(sent, equals: ["Bearer 0", "Bearer 1", "Bearer 2"])
    }

    @Test(
        "a refresh that exceeds its limit is cancelled and fails for all waiting callers; then the next one starts")
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

    @Test("during a hanging refresh a request ends at its own or the transport's limit, without delaying the next one")
    func hanging() async throws {
        for (own, transport) in [(Duration.milliseconds(20), nil), (nil, Duration.milliseconds(20))] {
            let (count, never, oldHasEnded) = (Locked(0), Gate(), Gate())
            let script = server(taking: "2", timeout: transport)
            let keeper = Locked<TokenKeeper?>(nil)
            let token = BearerToken("0") {
                let number = count.withLock {
                    $0 += 1; return $0
                }
                if number == 1 {
                    // This task belongs to the old refresh, and outlives it.
                    Task {
                        await never.wait()
                        let keeper = keeper.withLock { $0 }
                        await eventually("the old refresh has ended") { keeper?.isRefreshedHere == false }
                        oldHasEnded.open()
                    }
                    await never.wait()
                }
                return "\(number)"
            }
            let client = try APIClient(script, token: token)
            keeper.withLock { $0 = client.token }
            // End the cycle: the keeper retains the closure that reads it.
            defer { keeper.withLock { $0 = nil } }
            var call = Call(NoContent.self)
            call.timeout = own
            let error = await #expect(throws: NetworkError.self) { try await client.send(call) }
            expect(error?.kind, equals: .timeout)
            call.timeout = .seconds(600)
            _ = try await client.send(call)
            // The old refresh's token arrives too late to replace the new one.
            never.open()
            await oldHasEnded.wait()
            _ = try await client.send(call)
            expect(count.withLock { $0 }, equals: 2)
        }
    }

    @Test(
        "each status that refuses a token, and no other, refreshes it like a 401, and the error has that status")
    func otherStatuses() async throws {
        func server(refusingWith status: Int, taking token: String) -> Script {
            Script { message, _ in
                TransportResponse(status: message.headers["Authorization"] == "Bearer \(token)" ? 204 : status)
            }
        }
        for (statuses, status) in [
            (nil, 401), (nil, 403), ([401, 403], 401), ([401, 403], 403), ([403], 403), ([403], 401), ([419], 419),
            ([], 401),
        ] as [(Set<Int>?, Int)] {
            let count = Locked(0)
            func token(_ refresh: @escaping @Sendable () throws -> String) -> BearerToken {
                let counted = { @Sendable () async throws -> String in
                    count.withLock { $0 += 1 }
                    return try refresh()
                }
                guard let statuses else { return BearerToken("old", refresh: counted) }
                return BearerToken("old", refreshingOn: statuses, refresh: counted)
            }
            let isRefusal = (statuses ?? [401]).contains(status)
            let kind = NetworkError(HTTPFailure(status: status)).kind
            // The new token is accepted. An order is sent twice, because the server refused the first request.
            var script = server(refusingWith: status, taking: "new")
            var client = try APIClient(script, token: token { "new" }) { _ in GitHubError(code: 1) }
            let order = Call(NoContent.self, method: .post)
            if isRefusal {
                _ = try await client.send(order)
            } else {
                let error = await #expect(throws: NetworkError.self) { try await client.send(order) }
                expect(error?.kind, equals: .service, "\(status)")
            }
            expect(script.requests.count, equals: isRefusal ? 2 : 1, "\(status)")
            guard isRefusal else { continue }
            // The new token is refused too, so the pause begins. A refusal doesn't count as the service's own error.
            script = server(refusingWith: status, taking: "none")
            client = try APIClient(script, token: token { "new" }) { _ in GitHubError(code: 1) }
            for _ in 0..<3 {
                let error = await #expect(throws: NetworkError.self) { try await client.send(order) }
                expect(error?.kind, equals: kind, "\(status)")
                expect(error?.failure?.status, equals: status)
            }
            expect(script.requests.count, equals: 4, "\(status)")
            // The refresh fails, and the refresh's error becomes the cause.
            client = try APIClient(script, token: token { throw GitHubError(code: 9) })
            let error = await #expect(throws: NetworkError.self) {
                try await withRecordedErrors { _ in _ = try await client.send(order) }
            }
            expect(error?.kind, equals: kind, "\(status)")
            expect(error?.cause as? GitHubError, equals: GitHubError(code: 9), "\(status)")
            expect(count.withLock { $0 }, equals: 3, "\(status)")
        }
    }

    @Test("an invalid limit, pause, or status crashes the program with a message")
    func misuse() async {
        let limit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = BearerToken("", limit: .zero) { "" }
        }
        #expect(limit.standardErrorText.contains("BearerToken: limit must be positive, but is 0.0 seconds"))
        let pause = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = BearerToken("", pause: .seconds(-1)) { "" }
        }
        #expect(pause.standardErrorText.contains("BearerToken: pause must not be negative, but is -1.0 seconds"))
        let status = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = BearerToken("", refreshingOn: [401, 204]) { "" }
        }
        let message = "BearerToken: refreshingOn must contain only statuses from 400 to 599, not 204"
        #expect(status.standardErrorText.contains(message))
    }
}
