import ErrorRecovery
import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite("A policy's rules are those of an error map, and say why", .tags(.recovery2))
struct RetryPolicyTests {}

extension RetryPolicyTests {
    private enum Payment: Error, Equatable {
        case declined
        case gateway
    }

    @Test("every shape of retrying and failing is a rule, the last-registered one first")
    func shapes() {
        let policy = RetryPolicy()
            .retrying(matching: .type(Timeout.self).where { $0.code > 0 }, cost: 2)
            .retrying(Payment.self)
            .failing(Payment.declined)
            .retrying(domain: NSURLErrorDomain, cost: 5)
            .failing(domain: NSURLErrorDomain, code: -999)
            .retrying(Refused.self)
            .failing(matching: .conforming(to: (any RetryClassified).self))
            .retrying(Payment.declined, cost: 7)
            .failing(Refused.self)
        func decision(_ error: any Error) -> RetryDecision { policy.decisions[error] }
        expect(decision(Timeout(code: 1)), equals: .retry(cost: 2))
        expect(decision(Timeout()), equals: .fail)
        expect(decision(Payment.gateway), equals: .retry())
        expect(decision(Payment.declined), equals: .retry(cost: 7))
        expect(decision(NSError(domain: NSURLErrorDomain, code: -1001)), equals: .retry(cost: 5))
        expect(decision(URLError(.cancelled)), equals: .fail)
        expect(decision(Refused()), equals: .fail)
        expect(decision(Classified(retryDecision: .retry())), equals: .fail)
    }

    @Test("the presets retry what classifies itself, as it says, and nothing else")
    func presets() {
        for policy in [RetryPolicy.default, .aggressive] {
            expect(policy.decisions[Classified(retryDecision: .retry(cost: 3))], equals: .retry(cost: 3))
            expect(policy.decisions[Classified(retryDecision: .fail)], equals: .fail)
            expect(policy.decisions[Timeout()], equals: .fail)
            #expect(policy.budget == nil && policy.deadline == nil && policy.longestHint == .seconds(60))
        }
        expect(RetryPolicy.default.maxAttempts, equals: 3)
        expect(RetryPolicy.default.backoff, equals: .exponential(from: .seconds(1), by: 2, upTo: .seconds(30)))
        expect(RetryPolicy.aggressive.maxAttempts, equals: 5)
        expect(
            RetryPolicy.aggressive.backoff, equals: .exponential(from: .milliseconds(500), by: 2, upTo: .seconds(60)))
    }

    @Test("an error that forbids another attempt has none, whatever the rules say, and explain says why")
    func forbidden() async {
        struct Ordered: RetryClassified {
            var retryDecision: RetryDecision { .retry() }
            var forbidsRetry: Bool { true }
        }
        let policies = [RetryPolicy.default, .default.retrying(Ordered.self), .default.retrying(matching: .any)]
        for policy in policies {
            var steps: [RetryStep.Verdict] = []
            await #expect(throws: Ordered.self) {
                try await retry(policy, clock: ImmediateClock(), onStep: { steps.append($0.verdict) }) { _ in
                    throw Ordered()
                }
            }
            expect(steps, equals: [.notRetryable])
            let first = policy.explain(Ordered()).entries.first
            expect(first?.rule.matcher, equals: "an error that forbids another attempt")
        }
    }

    @Test("customising a preset does not change it")
    func valueSemantics() {
        var policy = RetryPolicy.default.retrying(Timeout.self)
        policy.maxAttempts = 9
        #expect(RetryPolicy.default.decisions[Timeout()] == .fail && RetryPolicy.default.maxAttempts == 3)
        expect(policy.decisions[Timeout()], equals: .retry())
    }

    @Test("explain names the rule that decides, and where it was registered")
    func explain() {
        let policy = RetryPolicy().retrying(Timeout.self)
            .failing(matching: .type(Timeout.self).where { $0.code == 7 }.named("code 7"))
        let line = #line - 1
        let explanation = policy.explain(Timeout(code: 7))
        expect(explanation.rule?.matcher, equals: "code 7")
        #expect(explanation.rule?.source.fileID == #fileID && explanation.rule?.source.line == UInt(line))
        expect(policy.explain(Timeout()).rule?.matcher, equals: "type(Timeout)")
        expectNil(policy.explain(Refused()).rule)
        expect(policy.explain(Refused()).disposition, equals: .unmatched)
    }

    @Test("R2: a hint takes the place of the computed delay, without jitter; the rule's own goes before the error's")
    func hints() async throws {
        let policy = RetryPolicy(maxAttempts: 9, backoff: .constant(.seconds(5), jitter: .none))
            .retrying(Busy.self)
            .retrying(Timeout.self)
        func delays(_ policy: RetryPolicy, _ error: any Error) async -> ([Duration], RetryStep.Verdict?) {
            let clock = ImmediateClock()
            var first: RetryStep.Verdict?
            _ = try? await retry(policy, clock: clock, onStep: { first = first ?? $0.verdict }) { attempt in
                if attempt == 1 { throw error }
            }
            return (clock.sleeps, first)
        }
        #expect(await delays(policy, Timeout()) == ([.seconds(5)], .retriesAfter(.seconds(5), hinted: false)))
        expect(await delays(policy, Busy(retryAfter: nil)).0, equals: [.seconds(5)])
        let hinted = await delays(policy, Busy(retryAfter: .seconds(60)))
        #expect(hinted == ([.seconds(60)], .retriesAfter(.seconds(60), hinted: true)))
        expect(await delays(policy, Busy(retryAfter: .zero)).0, equals: [.zero])
        expect(await delays(policy, Busy(retryAfter: .seconds(-3))).0, equals: [.zero])
        var ruled = policy
        ruled.decisions = policy.decisions.on(Busy.self, .retryAfter(.seconds(2)))
        expect(await delays(ruled, Busy(retryAfter: .seconds(9))).0, equals: [.seconds(2)])
        // Beyond the longest hint there is no attempt, rather than an early one.
        let tooLong = await delays(policy, Busy(retryAfter: .seconds(61)))
        #expect(tooLong == ([], .hintTooLong(.seconds(61))))
        ruled.decisions = policy.decisions.on(Timeout.self, .retryAfter(.seconds(61)))
        #expect(await delays(ruled, Timeout()) == ([], .hintTooLong(.seconds(61))))
    }

    @Test("a policy is small, and Sendable")
    func layout() {
        func requireSendable(_ type: (some Sendable).Type) {}
        requireSendable(RetryPolicy.self)
        requireSendable(RetryStep.self)
        requireSendable(CircuitBreaker.self)
        #expect(MemoryLayout<RetryDecision>.size <= 32)
    }
}
