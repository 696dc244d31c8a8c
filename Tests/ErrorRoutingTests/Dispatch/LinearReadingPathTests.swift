import ErrorRouting
import TestSupport
import Testing

/// Compares thousands of random paths with one handler that is read linearly; twice as many with `ERROR_BUS_LONG=1`.
@Suite(
    "Promises 1 to 5 and 21: a bus and its scopes do what a linear reading of their path does",
    .tags(.promise1, .promise2, .promise3, .promise4, .promise5, .promise21), .hangLimit)
struct LinearReadingPathTests {
    /// The cases that a run has encountered, so that a run that tries none of them fails.
    fileprivate struct Coverage {
        var results: [String: Int] = [:]
        var levels: [Int: Int] = [:]
        var failures = 0
        var mixedOrders = 0
        var fallbacksOfSeveral = 0

        mutating func note(_ result: LinearReading.Result, _ path: LinearReading.Path) {
            results[result.disposition, default: 0] += 1
            levels[path.levels.count, default: 0] += 1
            failures += result.failures.count
            if Set(path.levels.dropFirst().map(\.isInnermostFirst)).count == 2 { mixedOrders += 1 }
            let fallbacks = path.levels.count { $0.handler.rules.contains { $0.verb == .onNoMatch } }
            if result.disposition == "unmatched", fallbacks > 1 { fallbacksOfSeveral += 1 }
        }
    }

    private let pathsPerSeed = 150
    private let errorsPerPath = 5
}

extension LinearReadingPathTests {
    @Test(
        "both agree on paths of up to four handlers, in both orders",
        arguments: 401...(isLong ? 404 : 402) as ClosedRange<UInt64>)
    func paths(seed: UInt64) async {
        var (generator, coverage) = (LinearReading.Generator(seed: seed), Coverage())
        for round in 1...pathsPerSeed {
            let errors = (0..<errorsPerPath).map { _ in generator.error() }
            let path = generator.path(for: errors, levels: 1 + round % 4)
            let position = "seed \(seed), round \(round)"
            guard await compare(path, errors, &coverage, position) else { return }
        }
        // A run that lacks these cases would prove little.
        expect(Set(coverage.results.keys), equals: ["handled", "ignored", "unmatched"])
        #expect(coverage.results.values.allSatisfy { $0 > 50 })
        expect(Set(coverage.levels.keys), equals: [1, 2, 3, 4])
        #expect(coverage.failures > 100)
        #expect(coverage.mixedOrders > 20)
        #expect(coverage.fallbacksOfSeveral > 20)
    }

    /// Posts errors on a path one by one, and then all at the same time.
    ///
    /// Returns whether everything happened as expected.
    private func compare(
        _ path: LinearReading.Path,
        _ errors: [LinearReading.Specimen],
        _ coverage: inout Coverage,
        _ position: String
    ) async -> Bool {
        let (trace, reading) = (ActionTrace(), path.concatenation)
        var isAsExpected = true
        func check<Value: Equatable>(
            _ actual: Value, _ expected: Value, _ specimens: [LinearReading.Specimen],
            line: Int = #line
        ) {
            if actual == expected { return }
            expect(actual, equals: expected, "\(position), errors \(specimens), path\n\(path)", line: line)
            isAsExpected = false
        }

        await LinearReading.withErrorBus(path.busHandler, noting: trace) { bus in
            let scopes = path.scopes(of: bus)
            let poster: any ErrorPosting = scopes.last ?? bus
            for specimen in errors {
                let error = LinearReading.error(specimen)
                let expected = reading.handle(specimen)
                if let scope = scopes.last {
                    let entries = scope.explain(error).entries
                    let lines = entries.map { "\($0.rule.source.line): \($0.verdict)" }
                    check(lines, reading.explain(specimen), [specimen])
                    let origins = entries.map { path.scope(of: Int($0.rule.source.line)) }
                    check(entries.map(\.scope), origins, [specimen])
                }
                _ = trace.takeAll()
                let outcome = await poster.deliver(error)
                check(LinearReading.Result(outcome), expected.result, [specimen])
                check(trace.takeAll(), expected.notes, [specimen])
                let reports = outcome.failures.map(\.report)
                check(reports.map(\.scope), reports.map { _ in scopes.last?.path ?? [] }, [specimen])
                coverage.note(expected.result, path)
            }
            for specimen in errors { poster.post(LinearReading.error(specimen)) }
        }
        // These errors are neither awaited nor observed, so they take the shortest path through the code.
        check(trace.takeAll(), errors.flatMap { reading.handle($0).notes }, errors)
        return isAsExpected
    }
}
