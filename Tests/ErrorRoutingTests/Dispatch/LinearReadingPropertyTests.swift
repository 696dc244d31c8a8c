import ErrorRouting
import Foundation
import TestSupport
import Testing

/// Compares thousands of random handlers and errors with `LinearReading`; four times as many with `ERROR_BUS_LONG=1`.
@Suite(
    "Promises 1 to 10: handlers do what a linear reading of their rules does",
    .tags(
        .promise1, .promise2, .promise3, .promise4, .promise5, .promise6, .promise7, .promise8,
        .promise9, .promise10), .hangLimit)
struct LinearReadingPropertyTests {
    /// The cases that a run has encountered, so that a run that tries none of them fails.
    private struct Coverage {
        var results: [String: Int] = [:]
        var declined = 0
        var handledSynchronously = 0
        var failures = 0
        var mapDefaults = 0
        var mapValues = 0
    }

    private let handlersPerSeed = 150
    private let errorsPerHandler = 6

    /// Compares the results of all of a handler's methods and returns whether they were as expected.
    private func compare(
        _ reading: LinearReading.Handler,
        _ handler: ErrorHandler,
        _ specimen: LinearReading.Specimen,
        _ coverage: inout Coverage,
        _ position: String
    ) async -> Bool {
        let error = LinearReading.error(specimen)
        let expected = reading.handle(specimen)
        // Create the string only for a failure: printing all rules takes longer than the test.
        var comment: Comment {
            "\(position), error \(specimen), rules\n\(reading.rules.map { "\($0)" }.joined(separator: "\n"))"
        }
        var isAsExpected = true
        func check<Value: Equatable>(
            _ actual: Value, _ expected: Value, line: Int = #line
        ) {
            if actual == expected { return }
            expect(actual, equals: expected, comment, line: line)
            isAsExpected = false
        }

        let explanation = handler.explain(error).entries.map { "\($0.rule.source.line): \($0.verdict)" }
        check(explanation, reading.explain(specimen))

        let trace = ActionTrace()
        // An unused handler creates a plan for the error's type, or reads its few rules linearly. A used handler has
        // the plan. The same applies to an error in a box within a box.
        let unused = reading.handler(split: 0)
        let uses: [(ErrorHandler, any Error)] = [
            (unused, error), (unused, error), (reading.handler(split: 0), Boxing.twice(error)), (handler, error),
            (handler, Boxing.twice(error)),
        ]
        for (handler, error) in uses {
            let outcome = await LinearReading.$bound.withValue(trace) { await handler.handle(error) }
            check(LinearReading.Result(outcome), expected.result)
            check(trace.takeAll(), expected.notes)
            let reports = outcome.failures.map { LinearReading.specimen($0.report.error).signature }
            check(reports, expected.result.failures.map { _ in specimen.signature })
        }

        let synchronous = LinearReading.$bound.withValue(trace) { handler.handleSynchronously(error) }
        let isSynchronous = reading.isSynchronous(for: specimen)
        check(synchronous.map(LinearReading.Result.init), isSynchronous ? expected.result : nil)
        check(trace.takeAll(), isSynchronous ? expected.notes : [])

        coverage.results[expected.result.disposition, default: 0] += 1
        coverage.failures += expected.result.failures.count
        if isSynchronous { coverage.handledSynchronously += 1 } else { coverage.declined += 1 }
        return isAsExpected
    }
}

extension LinearReadingPropertyTests {
    @Test("both agree, whatever the rules and the error are", arguments: 1...(isLong ? 8 : 1) as ClosedRange<UInt64>)
    func handlers(seed: UInt64) async {
        var (generator, coverage) = (LinearReading.Generator(seed: seed), Coverage())
        for round in 1...handlersPerSeed {
            let errors = (0..<errorsPerHandler).map { _ in generator.error() }
            var reading = generator.handler(for: errors, rules: round % 10 == 0 ? 40 : generator.number(0..<10))
            var handler = reading.handler(split: generator.number(0..<reading.rules.count + 1))
            // Compare again with an additional rule: a used handler can still be customized.
            for stage in ["as made", "customized"] {
                for specimen in errors {
                    let position = "seed \(seed), round \(round), \(stage)"
                    guard await compare(reading, handler, specimen, &coverage, position) else { return }
                }
                let rule = generator.rule(for: errors)
                reading.rules.append(rule)
                handler = rule.adding(to: handler)
            }
        }
        // A run that lacks these cases would prove little.
        expect(Set(coverage.results.keys), equals: ["handled", "ignored", "unmatched"])
        #expect(coverage.results.values.allSatisfy { $0 > 100 })
        #expect(coverage.failures > 100)
        #expect(coverage.declined > 100)
        #expect(coverage.handledSynchronously > 100)
        #expect(Boxing.isBoxed(Boxing.twice(Numbered(1))))
    }

    @Test(
        "every matcher alone returns what a linear reading returns",
        arguments: 101...(isLong ? 104 : 101) as ClosedRange<UInt64>)
    func matchers(seed: UInt64) {
        var generator = LinearReading.Generator(seed: seed)
        var (matches, innerMatches) = (0, 0)
        for round in 1...800 {
            let errors = [generator.error(), generator.error()]
            let matcher = generator.matcher(for: errors.flatMap(\.visited), depth: 0)
            let made = matcher.made
            for specimen in errors {
                let expected = matcher.find(in: specimen)
                let actual = made.found(in: LinearReading.error(specimen))
                expect(
                    actual, equals: expected?.signature,
                    "seed \(seed), round \(round), error \(specimen), \(matcher)")
                guard actual == expected?.signature else { return }
                if let expected {
                    matches += 1
                    if case .error(let found) = expected, found.signature != specimen.signature { innerMatches += 1 }
                }
            }
        }
        #expect(matches > 200)
        #expect(innerMatches > 50)
    }

    @Test("the generator produces every kind of error, of matcher, and of rule")
    func generator() {
        var generator = LinearReading.Generator(seed: 151)
        let errors = (0..<1_000).map { _ in generator.error() }
        expect(Set(errors.map(\.kind)), equals: Set(LinearReading.Kind.allCases))
        let rules = errors.map { generator.rule(for: [$0]) }
        let matchers = rules.map { LinearReading.MatcherKind($0.matcher) }
        expect(Set(matchers), equals: Set(LinearReading.MatcherKind.allCases))
        expect(Set(rules.map(\.verb)), equals: Set(LinearReading.Verb.allCases))
        expect(Set(rules.map(\.answer)), equals: Set(LinearReading.Answer.allCases))
        for trait in [\LinearReading.Rule.isAsynchronous, \.getsReport, \.isShort] {
            expect(Set(rules.map { $0[keyPath: trait] }), equals: [true, false])
        }
    }

    @Test(
        "a map returns the value of its last matching rule",
        arguments: 201...(isLong ? 204 : 201) as ClosedRange<UInt64>)
    func maps(seed: UInt64) {
        var (generator, answers) = (LinearReading.Generator(seed: seed), Set<Bool>())
        for round in 1...150 {
            let errors = (0..<errorsPerHandler).map { _ in generator.error() }
            let reading = generator.handler(for: errors, rules: generator.number(0..<8))
            let map = reading.map
            for specimen in errors {
                let expected = reading.value(for: specimen)
                let error = LinearReading.error(specimen)
                for (map, error) in [(reading.map, error), (map, error), (map, Boxing.twice(error))] {
                    let actual = map[error]
                    expect(
                        actual, equals: expected, "seed \(seed), round \(round), error \(specimen), \(reading.rules)")
                    guard actual == expected else { return }
                    answers.insert(actual == "default")
                }
            }
        }
        expect(answers, equals: [true, false])
    }

    @Test("a handler that many tasks use at the same time treats each error as it would without the other tasks")
    func concurrently() async {
        var generator = LinearReading.Generator(seed: 301)
        let errors = (0..<60).map { _ in generator.error() }
        let reading = generator.handler(for: errors, rules: 30)
        let handler = reading.handler(split: 15)
        await withTaskGroup { group in
            for offset in 0..<8 {
                group.addTask {
                    var coverage = Coverage()
                    for step in errors.indices {
                        // Each task begins with another error, so that the tasks use the types in different orders.
                        let specimen = errors[(step + offset * 7) % errors.count]
                        guard await compare(reading, handler, specimen, &coverage, "seed 301") else { return }
                    }
                }
            }
        }
    }
}
