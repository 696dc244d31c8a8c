import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

@Suite("H5: a request's time limit bounds everything that is done for the request", .tags(.http5), .hangLimit)
struct ClientTimeLimitTests {}

extension ClientTimeLimitTests {
    private static let none: [Duration] = [.zero, .nanoseconds(-1), .seconds(-5), .seconds(-10_000_000_000_000_000)]

    private func call(_ method: HTTPMethod = .post, within limit: Duration?) -> Call<NoContent> {
        var call = Call(NoContent.self, method: method)
        call.timeout = limit
        return call
    }

    @Test("a request with no time left fails before anything is sent, and may be sent again")
    func noTimeLeft() async throws {
        for limit in Self.none {
            let script = Script { _, _ in TransportResponse(status: 204) }
            let client = try APIClient(script, retry: .default)
            let error = await #expect(throws: NetworkError.self) { try await client.send(call(within: limit)) }
            expect(error?.kind, equals: .timeout)
            expect([error?.neverReachedServer, error?.mayBeSentAgain], equals: [true, true])
            expect(script.requests.count, equals: 0)
            // No server listens on this port.
            let url = try #require(URL(string: "http://127.0.0.1:9/"))
            await #expect(throws: URLError(.timedOut)) {
                try await URLSessionHTTPTransport().send(TransportRequest(url: url, timeout: limit))
            }
        }
    }

    @Test("a request that runs out of time during a refresh fails immediately; the refresh continues for others")
    func refresh() async throws {
        let (refreshing, go) = (Gate(), Gate())
        let script = Script { message, _ in
            TransportResponse(status: message.headers["Authorization"] == "Bearer new" ? 204 : 401)
        }
        let client = try APIClient(
            script,
            token: BearerToken("old") {
                refreshing.open()
                await go.wait()
                return "new"
            })
        for method in [HTTPMethod.post, .get] {
            // Allow enough time for the request to reach the server, even on a busy machine.
            let call = call(method, within: .milliseconds(200))
            let error = await #expect(throws: NetworkError.self) { try await client.send(call) }
            expect("\(try #require(error))", equals: "timeout, URLError -1001")
            expect([error?.neverReachedServer, error?.mayBeSentAgain], equals: [false, method == .get])
        }
        await refreshing.wait()
        expect(script.requests.count, equals: 2)
        let patient = Task { try await client.send(call(within: .seconds(Int64.max))) }
        await eventually("the patient request is sent") { script.requests.count >= 3 }
        go.open()
        _ = try await patient.value
        // The remaining time is less than the time that was requested.
        let times = script.requests.suffix(2).map { $0.timeout ?? .zero }
        expect(times.first, equals: .seconds(Int64.max))
        #expect((.seconds(1) ..< .seconds(Int64.max)).contains(times.last ?? .zero))
    }

    private struct Slow: HTTPInterceptor {
        let time: Duration

        func prepare(_ request: inout TransportRequest) async throws {
            // Work that ignores cancellation, unlike a sleep.
            let end = ContinuousClock.now + time
            while ContinuousClock.now < end { await Task.yield() }
        }
    }

    @Test("the preparation by an interceptor counts toward the request's time limit")
    func interceptor() async throws {
        let script = Script { _, _ in TransportResponse(status: 204) }
        let slow = try APIClient(script, interceptors: [Slow(time: .milliseconds(10))])
        let error = await #expect(throws: NetworkError.self) {
            try await slow.send(call(within: .milliseconds(5)))
        }
        expect(error?.kind, equals: .timeout)
        expect([error?.neverReachedServer, error?.mayBeSentAgain], equals: [true, true])
        expect(script.requests.count, equals: 0)
        _ = try await slow.send(call(within: .seconds(600)))
        #expect((.zero ..< .milliseconds(599_990)).contains(script.requests.first?.timeout ?? .zero))
        _ = try await slow.send(call(within: nil))
        expectNil(script.requests.last?.timeout)
        // An interceptor can set any limit.
        struct Setting: HTTPInterceptor {
            let limit: Duration
            func prepare(_ request: inout TransportRequest) async throws { request.timeout = limit }
        }
        for limit in [Duration(attoseconds: .min), .seconds(Int64.min)] {
            let client = try APIClient(script, interceptors: [Setting(limit: limit)])
            let error = await #expect(throws: NetworkError.self) { try await client.send(call(within: nil)) }
            expect(error?.kind, equals: .timeout)
        }
        let patient = try APIClient(script, interceptors: [Setting(limit: Duration(attoseconds: .max))])
        _ = try await patient.send(call(within: nil))
    }
}
