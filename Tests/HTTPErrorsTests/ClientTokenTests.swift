import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

@Suite("H6: interceptors receive requests and responses, and a token is refreshed once", .tags(.http6), .hangLimit)
struct ClientTokenTests {}

extension ClientTokenTests {
    /// A server that accepts one token and responds to all others with 401.
    private func server(taking token: String) -> Script {
        Script { message, _ in
            message.headers["Authorization"] == "Bearer \(token)"
                ? .json(#"{"name": "Ada"}"#) : TransportResponse(status: 401)
        }
    }

    @Test("if many requests receive a 401 at the same time, one refresh runs, and each request is sent again once")
    func refreshedOnce() async throws {
        let (count, refreshing, go) = (Locked(0), Gate(), Gate())
        let script = server(taking: "new")
        let token = BearerToken("old") {
            count.withLock { $0 += 1 }
            refreshing.open()
            await go.wait()
            return "new"
        }
        let client = try APIClient(script, token: token)
        try await withThrowingTaskGroup(of: User.self) { group in
            for _ in 0..<50 { group.addTask { try await client.send(Call(User.self, method: .post)) } }
            await refreshing.wait()
            // All requests have received their 401 before the refresh ends.
            await eventually("every request has received its 401") { script.requests.count >= 50 }
            go.open()
            for try await user in group { expect(user, equals: User(name: "Ada")) }
        }
        expect(count.withLock { $0 }, equals: 1)
        expect(script.requests.count, equals: 100)
        _ = try await client.send(Call(User.self))
        expect(script.requests.count, equals: 101)
    }

    @Test("a new token with a control character counts as a failed refresh, and the next request refreshes again")
    func controlCharacter() async throws {
        for bad in ["new\n", "n\u{7F}ew"] {
            let tokens = Locked([bad, "new"])
            let script = server(taking: "new")
            let client = try APIClient(script, token: BearerToken("old") { tokens.withLock { $0.removeFirst() } })
            let error = await #expect(throws: NetworkError.self) { try await client.send(Call(User.self)) }
            expect(error?.kind, equals: .unauthorized)
            expect(try await client.send(Call(User.self)), equals: User(name: "Ada"))
        }
    }

    @Test("if the new token is refused too, the error is unauthorized; a request's own Authorization isn't replaced")
    func refusedAgain() async throws {
        let sent: [(headers: HTTPHeaders, authorizations: [String?])] = [
            ([:], ["Bearer old", "Bearer new"]), (["authorization": "Basic x"], ["Basic x"]),
        ]
        for (headers, authorizations) in sent {
            let script = server(taking: "none")
            let client = try APIClient(script, token: BearerToken("old") { "new" })
            let error = await #expect(throws: NetworkError.self) {
                try await client.send(Call(User.self, headers: headers))
            }
            expect(error?.kind, equals: .unauthorized)
            expect(script.requests.map { $0.headers["Authorization"] }, equals: authorizations)
        }
    }

    @Test("if the refresh fails, each caller throws its 401, the error is posted once, and the next 401 tries again")
    func refreshFailsForMany() async throws {
        let (go, count) = (Gate(), Locked(0))
        let script = server(taking: "new")
        let client = try APIClient(
            script,
            token: BearerToken("old") {
                await go.wait()
                count.withLock { $0 += 1 }
                if count.withLock({ $0 }) == 1 { throw GitHubError(code: 9) }
                return "new"
            })
        let recorded = await withRecordedErrors { _ in
            await withTaskGroup(of: NetworkError?.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        await #expect(throws: NetworkError.self) { try await client.send(Call(User.self)) }
                    }
                }
                await eventually("all callers wait for the refresh") { client.token?.waiterCount == 100 }
                go.open()
                for await error in group {
                    expect(error?.kind, equals: .unauthorized)
                    expect(error?.failure?.status, equals: 401)
                    expect(error.flatMap(ErrorMatcher.anywhere(.type(GitHubError.self)).match)?.code, equals: 9)
                }
            }
        }
        expect(recorded.errors as? [GitHubError], equals: [GitHubError(code: 9)])
        expect(recorded.reports.first?.source.module, equals: "HTTPErrorsTests")
        expect(script.requests.count, equals: 100)
        expect(try await client.send(Call(User.self)), equals: User(name: "Ada"))
    }

    @Test("a failed refresh is posted even if all waiting callers are cancelled")
    func refreshFailsForNobody() async throws {
        let (refreshing, go, failed) = (Gate(), Gate(), Gate())
        let client = try APIClient(
            server(taking: "new"),
            token: BearerToken("old") {
                refreshing.open()
                await go.wait()
                throw GitHubError(code: 9)
            })
        let handler = ErrorHandler().on(GitHubError.self) { _ in
            failed.open()
            return .stop
        }
        let recorded = await withRecordedErrors(handler: handler) { _ in
            let tasks = (0..<10).map { _ in Task { try await client.send(Call(User.self)) } }
            await refreshing.wait()
            for task in tasks { task.cancel() }
            for task in tasks {
                let error = await #expect(throws: NetworkError.self) { try await task.value }
                expect(error?.kind, equals: .cancelled)
            }
            go.open()
            await failed.wait()
        }
        expect(recorded.errors as? [GitHubError], equals: [GitHubError(code: 9)])
    }

    @Test("a caller that is cancelled during a hanging refresh throws immediately; the refresh continues for others")
    func cancelledWaiter() async throws {
        let (refreshing, go) = (Gate(), Gate())
        let script = server(taking: "new")
        let token = BearerToken("old") {
            refreshing.open()
            await go.wait()
            return "new"
        }
        let client = try APIClient(script, token: token)
        let first = Task { try await client.send(Call(User.self)) }
        await refreshing.wait()
        let second = Task { try await client.send(Call(User.self)) }
        await eventually("the second request is sent") { script.requests.count >= 2 }
        first.cancel()
        let error = await #expect(throws: NetworkError.self) { try await first.value }
        expect(error?.kind, equals: .cancelled)
        go.open()
        expect(try await second.value, equals: User(name: "Ada"))
    }

    @Test("a refresh that sends with the same client doesn't wait for itself")
    func refreshByItself() async throws {
        let script = server(taking: "new")
        let client = Locked<APIClient?>(nil)
        let token = BearerToken("old") {
            let own = client.withLock { $0 }
            // The refresh's own request receives a 401 too.
            _ = try? await own?.send(Call(User.self))
            return "new"
        }
        let own = try APIClient(script, token: token)
        client.withLock { $0 = own }
        expect(try await own.send(Call(User.self)), equals: User(name: "Ada"))
        expect(script.requests.count, equals: 3)
        client.withLock { $0 = nil }
    }

    @Test("after a refresh ends, a task that it started can receive a 401 and refresh the token like any other task")
    func startedByRefresh() async throws {
        let (count, refreshed) = (Locked(0), Gate())
        let script = server(taking: "new 2")
        let client = Locked<APIClient?>(nil)
        let late = Locked<Task<User?, Never>?>(nil)
        // Use no pause, because the server refuses the first new token.
        let token = BearerToken("old", pause: .zero) {
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == 1 {
                let task = Task {
                    await refreshed.wait()
                    return try? await client.withLock { $0 }?.send(Call(User.self))
                }
                late.withLock { $0 = task }
            }
            return "new \(number)"
        }
        let made = try APIClient(script, token: token)
        client.withLock { $0 = made }
        await #expect(throws: NetworkError.self) { try await made.send(Call(User.self)) }
        refreshed.open()
        #expect(await late.withLock { $0 }?.value != nil)
        client.withLock { $0 = nil }
    }

    private struct Interceptor: HTTPInterceptor {
        let name: String
        let journal: Locked<[String]>
        var failure: (any Error)?
        var inspects = true

        func prepare(_ message: inout TransportRequest) async throws {
            journal.withLock { $0.append("\(name) prepares") }
            message.headers.append(name, for: "X-Seen")
            if !inspects, let failure { throw failure }
        }

        func inspect(_ response: inout TransportResponse, to message: TransportRequest) async throws {
            journal.withLock {
                $0.append("\(name) inspects \(response.status), sent \(message.headers["X-Seen"] ?? "")")
            }
            if inspects, let failure { throw failure }
            response.status = 200
        }
    }

    @Test("interceptors receive each request and each response in order, and can change both")
    func order() async throws {
        let journal = Locked<[String]>([])
        let script = Script { _, _ in .json(#"{"name": "Ada"}"#, status: 500) }
        let interceptors = ["a", "b"].map { Interceptor(name: $0, journal: journal) }
        let client = try APIClient(script, interceptors: interceptors)
        expect(try await client.send(Call(User.self)), equals: User(name: "Ada"))
        expect(script.requests.first?.headers["X-Seen"], equals: "a, b")
        expect(
            journal.withLock { $0 },
            equals: [
                "a prepares", "b prepares", "a inspects 500, sent a, b", "b inspects 200, sent a, b",
            ])
    }

    @Test("an interceptor's error counts as the service's own for a response, and is unknown for a request")
    func failures() async throws {
        let cases: [(any Error, Bool, NetworkError.Kind)] = [
            (GitHubError(code: 3), true, .service), (GitHubError(code: 3), false, .unknown),
            (NetworkError(.noData), true, .noData), (NetworkError(.noData), false, .noData),
            (CancellationError(), true, .cancelled), (CancellationError(), false, .cancelled),
            (URLError(.timedOut), true, .service), (URLError(.timedOut), false, .timeout),
        ]
        for (failure, inspects, kind) in cases {
            let script = Script { _, _ in .json("{}", status: 418) }
            let interceptor = Interceptor(name: "a", journal: Locked([]), failure: failure, inspects: inspects)
            let error = await #expect(throws: NetworkError.self) {
                try await APIClient(script, interceptors: [interceptor]).send(Call(User.self))
            }
            expect(error?.kind, equals: kind)
            expect(script.requests.count, equals: inspects ? 1 : 0)
            if kind == .service { expect(error?.failure?.status, equals: 418) }
        }
    }
}
