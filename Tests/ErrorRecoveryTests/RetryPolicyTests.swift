import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@Suite("A policy's rules form an error map with explanations", .tags(.recovery2), .hangLimit)
struct RetryPolicyTests {}

extension RetryPolicyTests {
    private enum Payment: Error, Equatable {
        case declined
        case gateway
    }

    @Test("every form of retrying and notRetrying adds a rule, and the rule registered last is tried first")
    func shapes() {
        let policy = RetryPolicy(decisions: ErrorMap(default: .fail))
            .retrying(matching: .type(Timeout.self).where { $0.code > 0 }, cost: 2)
            .retrying(Payment.self)
            .notRetrying(Payment.declined)
            .retrying(domain: NSURLErrorDomain, cost: 5)
            .notRetrying(domain: NSURLErrorDomain, code: -999)
            .retrying(Refused.self)
            .notRetrying(matching: .conforming(to: (any RetryClassified).self))
            .retrying(Payment.declined, cost: 7)
            .notRetrying(Refused.self)
        let errors: [any Error] = [
            Timeout(code: 1), Timeout(), Payment.gateway, Payment.declined, NSError(domain: NSURLErrorDomain, code: 1),
            URLError(.cancelled), Refused(), Classified(retryDecision: .retry()),
        ]
        expect(
            errors.map { policy.decisions[$0] },
            equals: [.retry(cost: 2), .fail, .retry(), .retry(cost: 7), .retry(cost: 5), .fail, .fail, .fail])
    }

    @Test("by default every error is retried unless it is final, and customizing a preset doesn't change the preset")
    func presets() {
        var policy = RetryPolicy.default.retrying(Timeout.self)
        policy.maxAttempts = 9
        expect(policy.decisions[Timeout()], equals: .retry())
        let final: [any Error] = [
            DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "")),
            EncodingError.invalidValue(1, .init(codingPath: [], debugDescription: "")),
            CircuitOpen(name: "a", retryAfter: nil, cause: Timeout()), Classified(retryDecision: .fail),
        ]
        let policies = [RetryPolicy(), RetryPolicy(maxAttempts: 5), RetryPolicy(budget: RetryBudget())]
        for policy in policies + [RetryPolicy.default, .aggressive] {
            expect(final.map { policy.decisions[$0] }, equals: [.fail, .fail, .fail, .fail])
            for error in [Timeout(), Refused(), NSError(domain: "d", code: 1), URLError(.timedOut)] as [any Error] {
                expect(policy.decisions[error], equals: .retry())
            }
            expect(policy.retrying(DecodingError.self).decisions[final[0]], equals: .retry())
        }
        for policy in [RetryPolicy.default, .aggressive] {
            expect(policy.decisions[Classified(retryDecision: .retry(cost: 3))], equals: .retry(cost: 3))
            #expect(policy.budget == nil)
            expectNil(policy.deadline)
            expect(policy.maxRetryAfter, equals: .seconds(60))
        }
        expect(RetryPolicy.default.maxAttempts, equals: 3)
        expect(RetryPolicy.default.backoff, equals: .exponential(from: .seconds(1), by: 2, upTo: .seconds(30)))
        expect(RetryPolicy.aggressive.maxAttempts, equals: 5)
        expect(
            RetryPolicy.aggressive.backoff, equals: .exponential(from: .milliseconds(500), by: 2, upTo: .seconds(60)))
        func requireSendable(_ type: (some Sendable).Type) {}
        requireSendable(RetryPolicy.self)
        requireSendable(RetryStep.self)
        requireSendable(CircuitBreaker.self)
        #expect(MemoryLayout<RetryDecision>.size <= 32)
    }

    private struct Ordered: RetryClassified {
        var retryDecision: RetryDecision { .retry() }
        var forbidsRetry: Bool { true }
    }

    /// An error that wraps others and counts how often they are read.
    private struct Wrapped: UnderlyingErrorsProviding {
        let causes: [any Error]
        let readCount = Locked(0)

        init(_ cause: any Error) { causes = [cause] }
        init(_ causes: [any Error]) { self.causes = causes }

        var underlyingErrors: [any Error] {
            readCount.withLock { $0 += 1 }
            return causes
        }
    }

    /// Returns the verdicts when every attempt throws the same error.
    private func verdicts(of error: any Error, by policy: RetryPolicy) async -> [RetryStep.Verdict] {
        var verdicts: [RetryStep.Verdict] = []
        try? await retry(policy, clock: ImmediateClock(), onStep: { verdicts.append($0.verdict) }) { _ in throw error }
        return verdicts
    }

    @Test("an error that forbids another attempt prevents it at any depth, despite all rules, and explain shows why")
    func forbidden() async {
        let policies = [
            RetryPolicy.default, .default.retrying(Ordered.self), .default.retrying(matching: .any),
            .default.retrying(matching: .anywhere(.type(Ordered.self))),
        ]
        for policy in policies {
            for error in [Ordered(), Wrapped(Ordered()), Wrapped(Wrapped(Ordered()))] as [any Error] {
                expect(await verdicts(of: error, by: policy), equals: [.notRetryable], "\(error)")
                let first = policy.explain(error).entries.first
                expect(first?.rule.matcher, equals: "an error that forbids another attempt", "\(error)")
            }
        }
    }

    @Test("a circuit's refusal can be retried whatever opened the circuit, because another attempt caused that")
    func refusals() async {
        let policy = RetryPolicy(maxAttempts: 2, backoff: .constant(.zero))
            .retrying(matching: .anywhere(.type(CircuitOpen.self)))
        let refusal = CircuitOpen(name: "shop", retryAfter: nil, cause: Wrapped(Ordered()))
        for error in [refusal, Wrapped(refusal)] as [any Error] {
            expect(
                await verdicts(of: error, by: policy), equals: [.retriesAfter(.zero, hinted: false), .attemptsSpent])
        }
    }

    @Test("an error that forbids another attempt prevents it even next to a circuit's refusal, wherever the two are")
    func refusalBesideForbidding() async {
        struct Batch: Error { var results: [any Error] }
        final class Shared: RetryClassified {
            var retryDecision: RetryDecision { .retry() }
            var forbidsRetry: Bool { true }
        }
        let (timedOut, shared) = (Ordered(), Shared())
        let refused = CircuitOpen(name: "shop", retryAfter: nil, cause: Timeout())
        let pairs: [[any Error]] = [
            [refused, timedOut], [refused, Wrapped(timedOut)], [Wrapped(refused), Wrapped(timedOut)],
            // The request opened the circuit, and so caused the refusal.
            [CircuitOpen(name: "shop", retryAfter: nil, cause: shared), shared],
        ]
        for pair in pairs {
            for errors in [pair, pair.reversed()] {
                for error in [Wrapped(errors), Batch(results: errors), Wrapped(Batch(results: errors))] as [any Error] {
                    let policy = RetryPolicy.default.retrying(matching: .any)
                    expect(await verdicts(of: error, by: policy), equals: [.notRetryable], "\(error)")
                    let first = policy.explain(error).entries.first
                    expect(first?.rule.matcher, equals: "an error that forbids another attempt", "\(error)")
                }
            }
        }
    }

    @Test("an error's underlying errors aren't read if no retry would follow anyway")
    func unread() async {
        let error = Wrapped(Ordered())
        var policy = RetryPolicy(maxAttempts: 1).retrying(Wrapped.self)
        expect(await verdicts(of: error, by: policy), equals: [.attemptsSpent])
        policy.maxAttempts = 3
        expect(await verdicts(of: error, by: policy.notRetrying(Wrapped.self)), equals: [.notRetryable])
        expect(error.readCount.withLock { $0 }, equals: 0)
    }

    @Test("explain names the deciding rule and where it was registered")
    func explain() {
        let policy = RetryPolicy().retrying(Timeout.self)
            .notRetrying(matching: .type(Timeout.self).where { $0.code == 7 }.named("code 7"))
        let line = #line - 1
        let explanation = policy.explain(Timeout(code: 7))
        expect(explanation.rule?.matcher, equals: "code 7")
        expect(explanation.rule?.source, equals: .init(fileID: #fileID, line: UInt(line)))
        expect(policy.explain(Timeout()).rule?.matcher, equals: "type(Timeout)")
        expectNil(policy.explain(Refused()).rule)
        expect(policy.explain(Refused()).disposition, equals: .unmatched)
    }

    @Test("R2: a hint is a lower bound of the delay, but a rule's delay takes precedence and is used unchanged")
    func hints() async {
        let policy = RetryPolicy(maxAttempts: 9, backoff: .constant(.seconds(5), jitter: .none))
            .retrying(Busy.self)
            .retrying(Timeout.self)
        var (busy, timeout) = (policy, policy)
        busy.decisions = policy.decisions.on(Busy.self, .retryAfter(.seconds(2)))
        timeout.decisions = policy.decisions.on(Timeout.self, .retryAfter(.seconds(61)))
        let table: [(policy: RetryPolicy, error: any Error, verdict: RetryStep.Verdict)] = [
            (policy, Timeout(), .retriesAfter(.seconds(5), hinted: false)),
            (policy, Busy(retryAfter: nil), .retriesAfter(.seconds(5), hinted: false)),
            (policy, Busy(retryAfter: .seconds(60)), .retriesAfter(.seconds(60), hinted: true)),
            // A hint of zero doesn't switch the backoff off.
            (policy, Busy(retryAfter: .zero), .retriesAfter(.seconds(5), hinted: false)),
            (policy, Busy(retryAfter: .seconds(-3)), .retriesAfter(.seconds(5), hinted: false)),
            (policy, Busy(retryAfter: .seconds(4)), .retriesAfter(.seconds(5), hinted: false)),
            (policy, Busy(retryAfter: .seconds(6)), .retriesAfter(.seconds(6), hinted: true)),
            (busy, Busy(retryAfter: .seconds(9)), .retriesAfter(.seconds(2), hinted: true)),
            // A hint that is too long ends the retry, so that no attempt begins before the hinted time.
            (policy, Busy(retryAfter: .seconds(61)), .hintTooLong(.seconds(61))),
            (timeout, Timeout(), .hintTooLong(.seconds(61))),
        ]
        for (policy, error, verdict) in table {
            let clock = ImmediateClock()
            var verdicts: [RetryStep.Verdict] = []
            try? await retry(policy, clock: clock, onStep: { verdicts.append($0.verdict) }) { attempt in
                if attempt == 1 { throw error }
            }
            expect(verdicts, equals: [verdict], "\(error)")
            if case .retriesAfter(let delay, _) = verdict {
                expect(clock.sleeps, equals: [delay], "\(error)")
            } else {
                expect(clock.sleeps, equals: [], "\(error)")
            }
        }
    }
    @Test("R2: a hint gets up to a quarter of jitter unless the backoff has none, and a rule's delay has no jitter")
    func spreadHints() async {
        for jitter in Backoff.Jitter.allCases {
            let policy = RetryPolicy(backoff: .constant(.zero, jitter: jitter)).retrying(Busy.self)
            var (delays, ofRule): (Set<Duration>, Set<Duration>) = ([], [])
            for _ in 0..<50 {
                let (hinted, ruled) = (ImmediateClock(), ImmediateClock())
                try? await retry(policy, clock: hinted) { if $0 == 1 { throw Busy(retryAfter: .seconds(60)) } }
                var own = policy
                own.decisions = policy.decisions.on(Busy.self, .retryAfter(.seconds(60)))
                try? await retry(own, clock: ruled) { if $0 == 1 { throw Busy(retryAfter: .seconds(1)) } }
                delays.formUnion(hinted.sleeps)
                ofRule.formUnion(ruled.sleeps)
            }
            #expect(delays.allSatisfy { (.seconds(60)...(.seconds(75))).contains($0) }, "\(jitter)")
            #expect(jitter == .none ? delays == [.seconds(60)] : delays.count > 40, "\(jitter)")
            expect(ofRule, equals: [.seconds(60)])
        }
    }

    @Test("R2: the longest hint is compared without jitter, the deadline with jitter, and no addition overflows")
    func limitsOfHints() async {
        let longest = Duration(attoseconds: .max)
        let policy = RetryPolicy(backoff: .constant(.zero), maxRetryAfter: longest, deadline: .seconds(40))
            .retrying(Busy.self)
        var verdicts: Set<String> = []
        for _ in 0..<100 {
            try? await retry(policy, clock: ImmediateClock(), onStep: { verdicts.insert("\($0)".prefix(11) + "") }) {
                if $0 == 1 { throw Busy(retryAfter: .seconds(36)) }
            }
        }
        // With jitter, the delay is 36 to 45 seconds.
        expect(verdicts, equals: ["retried aft", "not retried"])
        let clock = ImmediateClock()
        var endless = policy
        endless.deadline = nil
        try? await retry(endless, clock: clock) { if $0 == 1 { throw Busy(retryAfter: longest) } }
        expect(clock.sleeps, equals: [.longest])
    }

    @Test("no duration from a policy, a rule, an error, or a clock makes a retry or a circuit trap, however long it is")
    func durations() async {
        let durations: [Duration] = [
            .init(attoseconds: .max), .init(attoseconds: .min), .seconds(Int64.max), .seconds(Int64.min), .zero,
        ]
        for duration in durations {
            for limit in durations where limit >= .zero {
                let backoff = Backoff.exponential(from: limit, by: 1e300, upTo: limit)
                let policy = RetryPolicy(
                    maxAttempts: 3, backoff: backoff, decisions: .init(default: .retry()), maxRetryAfter: limit,
                    deadline: limit)
                let rule = RetryPolicy(
                    decisions: .init(default: .retryAfter(duration)), maxRetryAfter: limit, deadline: limit)
                for policy in [policy, rule] {
                    let clock = ImmediateClock()
                    clock.advance(by: .seconds(Int64.min))
                    var steps: [String] = []
                    try? await retry(policy, clock: clock, onStep: { steps.append("\($0)") }) { attempt in
                        clock.advance(by: .seconds(attempt == 1 ? Int64.max : 0))
                        throw Busy(retryAfter: duration)
                    }
                    #expect(!steps.isEmpty)
                }
                let clock = ManualClock()
                let circuit = CircuitBreaker(
                    "test", counting: .any, minimumCalls: 1, window: max(limit, .seconds(1)), openPeriod: limit,
                    jitter: 1, clock: clock, errors: SilentPoster())
                for step in [Duration.zero, .seconds(Int64.max), .seconds(Int64.max)] {
                    clock.advance(by: step)
                    await circuit.fail(with: Busy(retryAfter: duration))
                    do { try await circuit.run {} } catch { #expect("\(error)".hasSuffix(" seconds")) }
                    expect(circuit.state, equals: limit == .zero ? .closed : .open)
                }
            }
            #expect("\(CircuitOpen(name: "test", retryAfter: duration, cause: Timeout()))".hasSuffix(" seconds"))
        }
    }
}
