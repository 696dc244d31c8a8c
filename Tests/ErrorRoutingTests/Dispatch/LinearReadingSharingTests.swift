import ErrorRouting
import TestSupport
import Testing

/// Compares handlers that are built from each other, and used in between, with linear readings of their rules: 2,000
/// times, or 200,000 times with `ERROR_BUS_LONG=1`.
@Suite(
    "Promises 1 to 5 and 21: handlers that share rules do what a linear reading of each does",
    .tags(.promise1, .promise2, .promise3, .promise4, .promise5, .promise21), .hangLimit(minutes: 20))
struct LinearReadingSharingTests {
    /// A handler and its rules.
    private typealias Pair = (handler: ErrorHandler, reading: LinearReading.Handler)

    private let rounds = isLong ? 4_000 : 40
    private let usesPerRound = 50
    private let mostRules = 60
}

extension LinearReadingSharingTests {
    @Test("both agree, whatever is customized, overlaid, put into scopes, and used, in any order")
    func shared() async {
        var generator = LinearReading.Generator(seed: 501)
        let trace = ActionTrace()
        var (dispositions, throughScopes) = ([String: Int](), 0)
        for round in 1...rounds {
            let errors = (0..<6).map { _ in generator.error() }
            var pairs: [Pair] = [(ErrorHandler(), .init(rules: []))]
            for use in 0..<usesPerRound {
                if pairs.count < 30 || use % 4 == 0 { pairs.append(derived(from: pairs, for: errors, &generator)) }
                let specimen = errors[generator.number(0..<errors.count)]
                let error = LinearReading.error(specimen)
                let pair = pairs[generator.number(0..<pairs.count)]
                let (expected, actual, isScoped): ((result: LinearReading.Result, notes: [String]), HandleOutcome, Bool)
                if generator.number(0..<5) == 0 {
                    (expected, actual) = await deliver(error, specimen, through: pairs, trace, &generator)
                    isScoped = true
                } else {
                    expected = pair.reading.handle(specimen)
                    actual = await LinearReading.$bound.withValue(trace) {
                        guard generator.number(0..<3) == 0, let outcome = pair.handler.handleSynchronously(error) else {
                            return await pair.handler.handle(error)
                        }
                        return outcome
                    }
                    isScoped = false
                }
                let (result, notes) = (LinearReading.Result(actual), trace.takeAll())
                guard result == expected.result, notes == expected.notes else {
                    let comment = "round \(round), use \(use), error \(specimen), scoped: \(isScoped), \(pair.reading)"
                    Issue.record("\(comment): \(result) \(notes), expected \(expected)")
                    return
                }
                dispositions[result.disposition, default: 0] += 1
                if isScoped { throughScopes += 1 }
            }
        }
        // A run that lacks these cases would prove little.
        expect(Set(dispositions.keys), equals: ["handled", "ignored", "unmatched"])
        #expect(dispositions.values.allSatisfy { $0 > rounds })
        #expect(throughScopes > rounds * 5)
    }

    /// Returns another handler with a few additional rules, or another handler overlaid with a third one.
    private func derived(
        from pairs: [Pair], for errors: [LinearReading.Specimen], _ generator: inout LinearReading.Generator
    ) -> Pair {
        func any() -> Pair { pairs[generator.number(0..<pairs.count)] }
        var (one, other) = (any(), any())
        if generator.number(0..<3) == 0, one.reading.rules.count + other.reading.rules.count < mostRules {
            one.handler = one.handler.overlaid(with: other.handler)
            one.reading.rules += other.reading.rules
        } else if one.reading.rules.count < mostRules {
            for _ in 0..<[1, 1, 2, 3, 7, 12][generator.number(0..<6)] {
                other.reading.rules = [generator.rule(for: errors)]
                one.handler = other.reading.rules[0].adding(to: one.handler)
                one.reading.rules += other.reading.rules
            }
        }
        return one
    }

    /// Delivers an error through up to three nested scopes.
    private func deliver(
        _ error: any Error, _ specimen: LinearReading.Specimen, through pairs: [Pair], _ trace: ActionTrace,
        _ generator: inout LinearReading.Generator
    ) async -> ((result: LinearReading.Result, notes: [String]), HandleOutcome) {
        let chosen = (0..<generator.number(1..<5)).map { _ in
            (pair: pairs[generator.number(0..<pairs.count)], isInnermostFirst: generator.number(0..<2) == 0)
        }
        let levels = chosen.map { LinearReading.Path.Level(handler: $0.pair.reading, isInnermostFirst: $0.1) }
        let expected = LinearReading.Path(levels: levels).concatenation.handle(specimen)
        let outcome = await LinearReading.withErrorBus(chosen[0].pair.handler, noting: trace) { bus in
            var poster: any ErrorPosting = bus
            for (pair, isInnermostFirst) in chosen.dropFirst() {
                let order: ErrorScope.Order = isInnermostFirst ? .innermostFirst : .rootFirst
                let outer = poster as? ErrorScope
                poster =
                    outer?.scope("scope", handler: pair.handler, order: order)
                    ?? bus.scope("scope", handler: pair.handler, order: order)
            }
            return await poster.deliver(error)
        }
        return (expected, outcome)
    }
}
