import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@Suite("Foundation's errors, objects, and boxed errors stay unchanged", .tags(.recovery1, .recovery6), .hangLimit)
struct ForeignErrorTests {}

extension ForeignErrorTests {
    /// A function that runs an operation that can throw an error.
    private typealias Runner = (_ operation: () async throws -> Void) async throws -> Void

    private final class Object: Error {}

    private static let matchers: [ErrorMatcher<any Error>] = [
        .any && ErrorMatcher.type(URLError.self).where { $0.code == .timedOut },
        .any && ErrorMatcher.type(CocoaError.self).where { $0.code == .fileNoSuchFile },
        .any && ErrorMatcher.type(POSIXError.self).where { $0.code == .ENOSPC },
        .any && ErrorMatcher.nsError(domain: "app", code: 7),
        .any && ErrorMatcher.type(Object.self),
        .any && ErrorMatcher.value(Timeout(code: 3)),
    ]

    private static let errors: [any Error] = [
        URLError(.timedOut), CocoaError(.fileNoSuchFile), POSIXError(.ENOSPC), NSError(domain: "app", code: 7),
        Object(), Timeout(code: 3),
    ]

    /// Throws an error directly, through a continuation, and through a stream within a continuation.
    private static func throwing(_ error: any Error, boxes: Int) async throws {
        switch boxes {
        case 0: throw error
        case 1:
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                continuation.resume(throwing: error)
            }
        default:
            let stream = AsyncThrowingStream<Int, any Error> { $0.finish(throwing: error) }
            do { for try await _ in stream {} } catch { try await throwing(error, boxes: 1) }
        }
    }

    @Test("an error that an operation throws leaves retries, circuits, and trial calls unchanged", arguments: 0...2)
    func thrown(boxes: Int) async throws {
        let clock = ManualClock()
        let closed = CircuitBreaker("closed", counting: .any, minimumCalls: .max, errors: SilentPoster())
        let budget = RetryBudget()
        let policy = RetryPolicy(maxAttempts: 2, backoff: .constant(.zero), budget: budget).retrying(matching: .any)
        let runners: [Runner] = [
            { operation in try await retry(RetryPolicy()) { _ in try await operation() } },
            { operation in try await retry(policy) { _ in try await operation() } },
            { operation in try await retry(policy) { _ in try await retry(policy) { _ in try await operation() } } },
            { operation in try await closed.run(operation) },
            { operation in
                // This is a trial call, and a call within a trial call.
                let open = CircuitBreaker.quiet(clock)
                await open.fail(with: Timeout())
                clock.advance(by: .seconds(5))
                try await open.run { try await open.run(operation) }
            },
        ]
        for (matcher, error) in zip(Self.matchers, Self.errors) {
            for runner in runners {
                do {
                    try await runner { try await Self.throwing(error, boxes: boxes) }
                    Issue.record("nothing was thrown")
                } catch let thrown {
                    #expect(matcher.match(thrown) != nil)
                    #expect(type(of: thrown) == type(of: error))
                    if let object = error as? Object { #expect(thrown as? Object === object) }
                    let (was, isNow) = (error as NSError, thrown as NSError)
                    expect(isNow.domain, equals: was.domain)
                    expect(isNow.code, equals: was.code)
                }
            }
        }
    }

    @Test("foreign errors are retried, counted, and kept as causes, however often they are boxed", arguments: 0...2)
    func matched(boxes: Int) async {
        for (matcher, error) in zip(Self.matchers, Self.errors) {
            var attempts = 0
            let policy = RetryPolicy(backoff: .constant(.zero), budget: RetryBudget()).retrying(matching: matcher)
            let breaker = CircuitBreaker(
                "test", counting: matcher, minimumCalls: 3, clock: ManualClock(), errors: SilentPoster())
            try? await retry(policy) { _ in
                attempts += 1
                try await breaker.run { try await Self.throwing(error, boxes: boxes) }
            }
            expect(attempts, equals: 3)
            expect(breaker.state, equals: .open)
            let refusal = await #expect(throws: CircuitOpen.self) { try await breaker.run {} }
            // Check more than matchers do, because matchers unbox errors.
            #expect(refusal.map { type(of: $0.cause) == type(of: error) } == true)
            if let object = error as? Object { #expect(refusal?.cause as? Object === object) }
        }
    }
}
