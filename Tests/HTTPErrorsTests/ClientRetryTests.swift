import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorRecovery
@testable import HTTPErrors

@Suite("H4: a non-idempotent request is never sent twice", .tags(.http4), .hangLimit)
struct ClientRetryTests {}

extension ClientRetryTests {
    private static let policy = RetryPolicy(maxAttempts: 3, backoff: .constant(.zero, jitter: .none))
        .retrying(matching: .transient)
        .retrying(matching: .network(.networkUnavailable, .encoding, .http, .server, .unknown))

    /// The default policy without delays.
    private static var byDefault: RetryPolicy {
        var policy = RetryPolicy.default
        policy.backoff = .constant(.zero)
        return policy
    }

    /// Returns how often a request is sent if every attempt ends in the same way.
    private func attempts(
        _ method: HTTPMethod,
        key: Bool = false,
        repeatsByItself: Bool = false,
        _ end: @escaping @Sendable () throws -> TransportResponse
    ) async throws -> Int {
        let script = Script(repeatsByItself: repeatsByItself) { _, _ in try end() }
        let client = try APIClient(script, retry: Self.policy)
        let headers: HTTPHeaders = key ? ["Idempotency-Key": "17"] : [:]
        await withRecordedErrors { _ in
            await #expect(throws: NetworkError.self) {
                try await client.send(Call(NoContent.self, method: method, headers: headers))
            }
        }
        return script.requests.count
    }

    @Test("a request that the server might have received is sent once, unless it is idempotent or has a key")
    func seen() async throws {
        let seen: [@Sendable () throws -> TransportResponse] = [
            { throw URLError(.networkConnectionLost) }, { throw URLError(.timedOut) },
            { TransportResponse(status: 503) },
            { TransportResponse(status: 408) }, { TransportResponse(status: 500) }, { throw GitHubError(code: 1) },
        ]
        // The server received the last of these requests, and asked the client to wait.
        let unseen: [@Sendable () throws -> TransportResponse] = [
            { throw URLError(.cannotConnectToHost) }, { throw URLError(.cannotFindHost) },
            { throw URLError(.notConnectedToInternet) }, { TransportResponse(status: 429) },
        ]
        for (end, isSeen) in seen.map({ ($0, true) }) + unseen.map({ ($0, false) }) {
            for method in [HTTPMethod.post, .patch] {
                expect(try await attempts(method, end), equals: isSeen ? 1 : 3)
                expect(try await attempts(method, key: true, end), equals: 3)
            }
            for method in [HTTPMethod.get, .head, .put, .delete] { expect(try await attempts(method, end), equals: 3) }
            // If the HTTP stack repeats requests, the client can't find out how the earlier requests ended.
            expect(try await attempts(.post, repeatsByItself: true, end), equals: 1)
            expect(try await attempts(.get, repeatsByItself: true, end), equals: 3)
            expect(try await attempts(.post, key: true, repeatsByItself: true, end), equals: 3)
        }
    }

    @Test("a client's default policy repeats temporary failures that may be sent again, but no order or final error")
    func defaults() async throws {
        // How often a GET and a POST are sent.
        let ends: [(get: Int, post: Int, end: @Sendable () throws -> TransportResponse)] = [
            // Plain errors: a policy retries these if it receives them, but a client's error carries its own decision.
            (1, 1, { throw GitHubError(code: 1) }), (1, 1, { throw URLError(.unknown) }),
            (1, 1, { throw URLError(.badURL) }), (1, 1, { .json("{") }), (1, 1, { TransportResponse(status: 204) }),
            (1, 1, { TransportResponse(status: 400) }), (1, 1, { TransportResponse(status: 404) }),
            (3, 1, { throw URLError(.timedOut) }), (3, 1, { throw URLError(.networkConnectionLost) }),
            (3, 1, { TransportResponse(status: 503) }), (3, 1, { TransportResponse(status: 408) }),
            // The server didn't receive the request, or refused it.
            (3, 3, { throw URLError(.cannotConnectToHost) }), (3, 3, { TransportResponse(status: 429) }),
        ]
        for policy in [RetryPolicy.default, .aggressive, RetryPolicy(maxAttempts: 5), RetryPolicy(budget: .init())] {
            for (get, post, end) in ends {
                for (method, count) in [(HTTPMethod.get, get), (.post, post), (.patch, post)] {
                    var policy = policy
                    (policy.maxAttempts, policy.backoff) = (3, .constant(.zero))
                    if policy.budget != nil { policy.budget = RetryBudget() }
                    let script = Script { _, _ in try end() }
                    let client = try APIClient(script, retry: policy)
                    await withRecordedErrors { _ in
                        await #expect(throws: NetworkError.self) {
                            try await client.send(Call(User.self, method: method))
                        }
                    }
                    expect(script.requests.count, equals: count, "\(method), \(script.requests)")
                }
            }
        }
    }

    @Test("a retry around a client sends an order once, whatever its rules retry, and repeats only safe requests")
    func around() async throws {
        let policies = [
            Self.byDefault, Self.policy,
            RetryPolicy(maxAttempts: 3, backoff: .constant(.zero)).retrying(NetworkError.self),
        ]
        let ends: [@Sendable () throws -> TransportResponse] = [
            { throw URLError(.timedOut) }, { throw URLError(.networkConnectionLost) }, { throw GitHubError(code: 1) },
            { throw BusyError() }, { TransportResponse(status: 503) }, { .json("{") },
            { TransportResponse(status: 204) },
        ]
        func check(
            _ policy: RetryPolicy, _ inner: RetryPolicy?, _ call: Call<User>, attempts: Int,
            _ end: @escaping @Sendable () throws -> TransportResponse
        ) async throws {
            let script = Script { _, _ in try end() }
            let client = try APIClient(script, retry: inner)
            await withRecordedErrors { _ in
                let error = await #expect(throws: NetworkError.self) {
                    try await retry(policy) { _ in try await client.send(call) }
                }
                expect(error?.mayBeSentAgain, equals: attempts > 1)
            }
            expect(script.requests.count, equals: attempts)
        }
        for (policy, end) in policies.flatMap({ policy in ends.map { (policy, $0) } }) {
            for inner in [nil, Self.policy] {
                try await check(policy, inner, Call(User.self, method: .post), attempts: 1, end)
            }
        }
        var order = Call(User.self, method: .post)
        order.idempotencyKey = "17"
        for call in [Call(User.self), Call(User.self, method: .put), order] {
            try await check(Self.byDefault, nil, call, attempts: 3, ends[0])
        }
        // Only the client's own retries trust a key among the headers, because the key might differ in the next call.
        let keyed = Call(User.self, method: .post, headers: ["Idempotency-Key": "17"])
        try await check(Self.byDefault, nil, keyed, attempts: 1, ends[0])
        // On a shared budget, the client's calls are part of the outer attempts. So the second call withdraws a token
        // too.
        var policy = Self.byDefault
        policy.budget = RetryBudget(ratio: 1, reserve: 3)
        try await check(policy, policy, Call(User.self), attempts: 4, ends[0])
        expect(policy.budget?.statistics, equals: .init(available: -1, granted: 4, refused: 2))
    }

    @Test("a retry sends an order once, even if its error wraps the client's, and again only if a circuit refused it")
    func wrapped() async throws {
        struct CheckoutFailed: Error { let cause: NetworkError }
        let policy = RetryPolicy(maxAttempts: 3, backoff: .constant(.zero))
            .retrying(matching: .anywhere(.network(.timeout, .server)))
        func attempts(_ method: HTTPMethod, _ send: @escaping @Sendable () throws -> TransportResponse) async throws
            -> Int
        {
            let script = Script { _, _ in try send() }
            let client = try APIClient(script)
            try? await retry(policy) { _ in
                do throws(NetworkError) {
                    _ = try await client.send(Call(NoContent.self, method: method))
                } catch {
                    throw CheckoutFailed(cause: error)
                }
            }
            return script.requests.count
        }
        expect(try await attempts(.post) { throw URLError(.timedOut) }, equals: 1)
        expect(try await attempts(.get) { throw URLError(.timedOut) }, equals: 3)
        let order = NetworkError(.timeout, mayBeSentAgain: false)
        expect(
            try await attempts(.post) { throw CircuitOpen(name: "shop", retryAfter: .zero, cause: order) }, equals: 3)
    }

    @Test("a call that is cancelled during a delay throws cancelled, with the last error as the cause")
    func cancelledWhileWaiting() async throws {
        let clock = ManualClock()
        let script = Script { _, _ in TransportResponse(status: 503) }
        let client = APIClient(
            base: try #require(URL(string: "https://example.org")), transport: script, retry: .default, clock: clock)
        let task = Task { try await client.send(Call(User.self)) }
        await clock.waitForSleepers()
        task.cancel()
        let error = try #require(await #expect(throws: NetworkError.self) { try await task.value })
        expect(error.kind, equals: .cancelled)
        #expect(error.isCancellation)
        #expect(ErrorMatcher.anywhere(.status(503)).match(error) != nil)
        expect(error.retryDecision, equals: .fail)
        expect(script.requests.count, equals: 1)
    }

    @Test("H7: a request that fails in a cancelled task throws cancelled, with a retry policy and without one")
    func failedWhenCancelled() async throws {
        let codes = [
            NSURLErrorTimedOut, NSURLErrorNetworkConnectionLost, NSURLErrorBadURL, NSURLErrorUnknown,
            NSURLErrorCancelled,
        ]
        for policy in [nil, RetryPolicy.default] {
            for code in codes {
                let script = Script { _, _ in
                    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                    throw NSError(domain: NSURLErrorDomain, code: code)
                }
                let client = try APIClient(script, retry: policy)
                let task = Task { try await client.send(Call(User.self)) }
                let error = try #require(await #expect(throws: NetworkError.self) { try await task.value })
                expect(error.kind, equals: .cancelled)
                expect(ErrorMatcher.anywhere(.nsError(domain: NSURLErrorDomain)).match(error)?.code, equals: code)
            }
            let refused = Script { _, _ in
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return TransportResponse(status: 404)
            }
            let client = try APIClient(refused, retry: policy)
            let task = Task { try await client.send(Call(User.self)) }
            let error = try #require(await #expect(throws: NetworkError.self) { try await task.value })
            expect(error.kind, equals: .cancelled)
            #expect(ErrorMatcher.anywhere(.status(404)).match(error) != nil)
        }
    }

    @Test("an order that has a response is sent once, whatever an interceptor throws for the response")
    func inspected() async throws {
        struct Inspector: HTTPInterceptor {
            let error: any Error
            func inspect(_ response: inout TransportResponse, to request: TransportRequest) async throws { throw error }
        }
        // The interceptor's own client could throw these errors for its own request.
        let errors: [any Error] = [
            NetworkError(URLError(.cannotConnectToHost)), NetworkError(URLError(.notConnectedToInternet)),
            NetworkError(.encoding), NetworkError(.invalidURL), NetworkError(HTTPFailure(status: 429)),
            URLError(.cannotConnectToHost), HTTPFailure(status: 429),
        ]
        for status in [200, 401, 503, 429] {
            for error in errors {
                let script = Script { _, _ in TransportResponse(status: status) }
                let client = try APIClient(script, retry: Self.policy, interceptors: [Inspector(error: error)])
                await withRecordedErrors { _ in
                    _ = try? await retry(Self.policy) { _ in
                        try await client.send(Call(NoContent.self, method: .post, body: User(name: "Ada")))
                    }
                }
                if status != 429 { expect(script.requests.count, equals: 1, "\(status), \(error)") }
            }
        }
    }

    @Test("a computed key among the headers is the same in all attempts of a call, and no later call sends the order")
    func computedKeys() async throws {
        struct Order: APIRequest {
            typealias Response = NoContent
            var isStored = true
            let key = "stored"
            var method: HTTPMethod { .post }
            var path: String { "orders" }
            var idempotencyKey: String? { isStored ? key : nil }
            var headers: HTTPHeaders { isStored ? [:] : ["Idempotency-Key": UUID().uuidString] }
        }
        for (isStored, keys) in [(true, Array(repeating: "stored", count: 9)), (false, [])] {
            let script = Script { _, _ in throw URLError(.timedOut) }
            let client = try APIClient(script, retry: Self.policy)
            await withRecordedErrors { _ in
                let error = await #expect(throws: NetworkError.self) {
                    try await retry(Self.policy) { _ in try await client.send(Order(isStored: isStored)) }
                }
                expect(error?.mayBeSentAgain, equals: isStored)
            }
            let sent = script.requests.map { $0.headers["Idempotency-Key"] ?? "" }
            expect(Set(sent).count, equals: 1)
            if isStored { expect(sent, equals: keys) } else { expect(sent.count, equals: 3) }
        }
    }

    @Test("after a rejected certificate neither a GET nor a POST is sent again, although neither arrived")
    func certificates() async throws {
        for code in [
            URLError.Code.serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired, .cancelled,
        ] {
            for method in [HTTPMethod.get, .post] {
                let script = Script { _, _ in throw URLError(code) }
                let error = await #expect(throws: NetworkError.self) {
                    try await APIClient(script, retry: Self.byDefault).send(Call(User.self, method: method))
                }
                expect(error?.kind, equals: .connection)
                expect(script.requests.count, equals: 1, "\(code)")
            }
        }
    }

    @Test("a hint of zero or a past date doesn't switch the backoff off")
    func noWait() async throws {
        for hint in ["0", "Sun, 06 Nov 1994 08:49:37 GMT"] {
            let clock = ManualClock()
            let script = Script { _, _ in TransportResponse(status: 503, headers: ["Retry-After": hint]) }
            let policy = RetryPolicy(maxAttempts: 2, backoff: .constant(.seconds(5), jitter: .none))
                .retrying(matching: .transient)
            let client = APIClient(
                base: try #require(URL(string: "https://example.org")), transport: script, retry: policy,
                clock: clock)
            await withErrorBus(handler: ErrorHandler()) { (_: ErrorBus) async in
                async let result: Void = { _ = try? await client.send(Call(User.self)) }()
                await clock.waitForSleepers()
                clock.advance(by: .milliseconds(4_999))
                expect(script.requests.count, equals: 1)
                clock.advance(by: .milliseconds(1))
                await result
            }
            expect(script.requests.count, equals: 2)
        }
    }

    @Test("the errors of retried attempts are posted, and the last error is only thrown")
    func swallowed() async throws {
        let script = Script { _, number in number < 2 ? TransportResponse(status: 503) : .json(#"{"name": "Ada"}"#) }
        let client = try APIClient(script, retry: Self.policy)
        let recorded = await withRecordedErrors { _ in _ = try? await client.send(Call(User.self)) }
        expect(recorded.matches(of: .status(503)).count, equals: 2)
        expect(recorded.reports.map { $0.metadata["retry.attempt"] }, equals: ["1", "2"])
        let request = "GET https://example.org/…/users/17"
        expect(recorded.reports.map { $0.metadata["http.request"] }, equals: [request, request])
        expect(recorded.reports.map(\.source.module), equals: ["HTTPErrorsTests", "HTTPErrorsTests"])
    }

    @Test("the client's clock waits for the server's hint")
    func hint() async throws {
        let clock = ManualClock()
        let script = Script { _, number in
            number == 0 ? TransportResponse(status: 429, headers: ["Retry-After": "30"]) : .json(#"{"name": "Ada"}"#)
        }
        let client = APIClient(
            base: try #require(URL(string: "https://example.org")), transport: script, retry: Self.policy, clock: clock)
        try await withErrorBus(handler: ErrorHandler()) { (_: ErrorBus) async throws in
            async let user = client.send(Call(User.self, method: .post))
            await clock.waitForSleepers()
            clock.advance(by: .seconds(29))
            expect(script.requests.count, equals: 1)
            clock.advance(by: .seconds(1))
            expect(try await user, equals: User(name: "Ada"))
        }
    }
}
