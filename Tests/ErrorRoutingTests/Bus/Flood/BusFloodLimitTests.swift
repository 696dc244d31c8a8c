import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

// The check that statistics add up is internal.
@testable import ErrorRouting

@Suite(
    "Promise 20: a flood limit delivers the first errors of a kind, and merges the rest",
    .tags(.promise20), .hangLimit)
struct BusFloodLimitTests {
    private let clock = ManualClock()
}

extension BusFloodLimitTests {
    @Test(
        "a window's first errors are delivered, and at its end the newest other one; the next error opens a window"
    )
    func windowsInARow() async {
        let bus = makeBus(first: 2)
        var reports = bus.reports().makeAsyncIterator()
        async let running: Void = bus.run()
        for round in 0..<3 {
            // The window begins with the round's first error, 5 seconds after the previous window ended.
            clock.advance(by: .seconds(5))
            for number in 1...6 { bus.post(Numbered(10 * round + number), line: 1) }
            for number in 1...2 { expect(await reports.next()?.summary, equals: "\(10 * round + number)") }
            await eventually("the round's later errors are suppressed") { bus.statistics.suppressed >= 3 * (round + 1) }
            await clock.waitForSleepers()
            clock.advance(by: .seconds(9))
            await clock.waitForSleepers()
            expect(bus.statistics.pending, equals: 1)
            clock.advance(by: .seconds(1))
            expect(await reports.next()?.summary, equals: "\(10 * round + 6) ×4")
        }
        bus.finish()
        await running
        expect(bus.statistics, equals: .init(posted: 18, unmatched: 9, suppressed: 9))
    }

    @Test("windows follow the time of the post, not of the delivery, and held reports precede later posts")
    func postTimes() async {
        let found = await summaries(first: 1) { bus in
            for number in 1...3 { bus.post(Numbered(number), line: 1) }
            clock.advance(by: .seconds(25))
            for number in 4...5 { bus.post(Numbered(number), line: 1) }
        }
        expect(found, equals: ["1", "3 ×2", "4", "5"])
    }

    @Test("a report that represents several errors has the times of the oldest and the newest, wherever it is read")
    func times() async {
        let received = Journal<ErrorReport>()
        let bus = makeBus(
            first: 1,
            handler: ErrorHandler().always { _, report in
                received.note(report)
                return .next
            })
        let reports = bus.reports()
        let scope = bus.scope("scope")
        let after = (1...4).map { number in
            bus.post(Numbered(number), line: 1)
            scope.post(Numbered(number), line: 1)
            return ContinuousClock.now
        }
        bus.finish()
        await bus.run()
        for reports in [received.entries, await reports.collected()] {
            expect(reports.map(\.summary), equals: ["1", "1", "4 ×3", "4 ×3"])
            #expect(reports.prefix(2).allSatisfy { $0.firstInstant == $0.instant && $0.instant <= after[0] })
            #expect(reports.suffix(2).allSatisfy { (after[0]...after[1]).contains($0.firstInstant) })
            #expect(reports.suffix(2).allSatisfy { (after[2]...after[3]).contains($0.instant) })
        }
    }

    @Test("a held error that merged no other keeps its own parts; a merged report keeps the role, scope, and mark")
    func parts() {
        let own = ScopeContext.Own("scope", ErrorHandler(), .innermostFirst, [:])
        let scope = ScopeContext(own, in: nil, root: nil)
        let first = Moment()
        for role in [ErrorReport.Role.failure, .attempt] {
            let rareParts = ErrorReport.RareParts(role: role, mark: role == .attempt ? Gate() : nil).boxed
            let posting = Posting(
                UnboxedError(Numbered(1)), at: .init(), scope: scope, extras: Box(.init(rareParts: rareParts)))
            for occurrences in 1...2 {
                var merged = posting
                merged.represent(occurrences, since: occurrences == 1 ? posting.moment : first)
                expect(merged.rareParts === rareParts, equals: occurrences == 1)
                let report = merged.report()
                expect(report.role, equals: role)
                expect(report.mark != nil, equals: role == .attempt)
                expect(report.scope, equals: ["scope"])
                expect(report.occurrences, equals: occurrences)
                expect(report.firstInstant, equals: occurrences == 1 ? report.instant : first.instant)
            }
        }
    }

    @Test("a new kind replaces the kind with the oldest window, and that kind's held report is released")
    func eviction() async {
        // With a capacity of 4, the limit remembers 2 kinds.
        let bus = makeBus(first: 1, capacity: 4)
        let reports = bus.reports()
        async let running: Void = bus.run()
        await bus.deliver(Numbered(10), line: 1)
        bus.post(Numbered(11), line: 1)
        await bus.deliver(Numbered(20), line: 2)
        bus.post(Numbered(21), line: 2)
        bus.post(Numbered(12), line: 1)
        await bus.deliver(Numbered(30), line: 3)
        expect(bus.statistics.pending, equals: 1)
        bus.finish()
        await running
        expect(await reports.collected().map(\.summary), equals: ["10", "20", "12 ×2", "30", "21"])
        #expect(bus.statistics.isBalanced)
    }

    // MARK: Kinds

    @Test(
        "payloads, fields, and messages don't count; an enum's case, domain and code, and the posting line do")
    func kinds() async {
        typealias Payment = Zoo.Payment
        let found = await summaries(first: 1) { bus in
            let errors: [Payment] = [
                .declined(code: 1), .declined(code: 2), .expired, .declined(code: 3), .unavailable,
            ]
            for error in errors { bus.post(error, line: 1) }
            for name in ["a", "b", "c"] { bus.post(Zoo.Localized(errorDescription: name), line: 1) }
        }
        let localized = { (name: String) in "\(Zoo.Localized(errorDescription: name))" }
        expect(
            found,
            equals: [
                "declined(code: 1)", "expired", "unavailable", localized("a"), "declined(code: 3) ×2",
                "\(localized("c")) ×2",
            ]
        )

        let coded = await summaries(first: 1) { bus in
            for (domain, code) in [("a", 1), ("a", 1), ("a", 2), ("b", 1), ("a", 1)] {
                let text = "\(bus.statistics.posted)"
                bus.post(NSError(domain: domain, code: code, userInfo: [NSLocalizedDescriptionKey: text]), line: 1)
            }
            for code in [7, 7, 8] { bus.post(Zoo.Foreign(errorCode: code), line: 1) }
            for code in [URLError.Code.timedOut, .timedOut, .badURL] { bus.post(URLError(code), line: 1) }
        }
        expect(coded.count, equals: 10)
        expect(coded.filter { $0.hasSuffix("×2") }.count, equals: 1)

        let placed = await summaries(first: 1) { bus in
            for number in 1...3 { bus.post(Numbered(number), line: UInt(number)) }
            bus.post(Numbered(4), fileID: "Other/File.swift", line: 1)
            for number in 5...6 { bus.post(Numbered(number), line: 1) }
        }
        expect(placed, equals: ["1", "2", "3", "4", "6 ×2"])
    }

    @Test("errors with equal strings are one kind, whatever their type, code, and line; the closure reads the report")
    func fingerprints() async {
        let configuration = configuration(ManualClock()) { report in report.metadata["tenant"] ?? report.typeName }
        let recorded = await withRecordedErrors(configuration: configuration) { bus in
            bus.post(Numbered(1), metadata: ["tenant": "a"])
            bus.post(Zoo.Offline(), metadata: ["tenant": "a"])
            bus.post(Numbered(2), metadata: ["tenant": "a"])
            bus.scope("scope", metadata: ["tenant": "b"]).post(Numbered(3))
            for number in 4...6 { bus.post(Numbered(number), line: UInt(number)) }
        }
        expect(recorded.errors.compactMap { ($0 as? Numbered)?.number }, equals: [1, 3, 4, 2, 6])
        expect(recorded.reports.map(\.occurrences), equals: [1, 1, 1, 2, 2])
        expect(recorded.statistics.suppressed, equals: 2)
        #expect(recorded.statistics.isBalanced)
    }

    @Test(
        """
        the closure is called once for each error, by its poster, under no lock: it may post, read figures, be slow; \
        what it posts itself is of its type's kind
        """
    )
    func reentry() async {
        let calls = Journal<Int>()
        let configuration = configuration(ManualClock()) { report in
            guard let error = report.error as? Numbered, let bus = ErrorBus.current else { return "-" }
            calls.note(error.number)
            #expect(bus.statistics.isBalanced && bus.statistics.pending > 0)
            if error.number < 10 { bus.post(Numbered(error.number + 100)) }
            return "\(error.number)"
        }
        let recorded = await withRecordedErrors(configuration: configuration) { bus in
            for number in 1...5 { bus.post(Numbered(number)) }
        }
        expect(calls.entries, equals: Array(1...5))
        expect(recorded.errors.compactMap { ($0 as? Numbered)?.number }.sorted(), equals: [1, 2, 3, 4, 5, 101, 105])
        expect(recorded.statistics.suppressed, equals: 3)
    }

    @Test("if the bus is shut down while the closure runs for an error, the last resort writes the error")
    func shutdown() async {
        let (entered, gate, written) = (Gate(), Gate(), Journal<String>())
        var configuration = ErrorBus.Configuration(
            floodLimit: FloodLimit(first: 1, per: .seconds(10)) { report in
                if report.error as? Numbered == Numbered(2) {
                    entered.open()
                    while !gate.isOpen { yieldToOtherThreads() }
                }
                return "all"
            })
        configuration.lastResort = LastResort { report, reason in
            written.note("\((report.error as? Numbered)?.number ?? 0): \(reason)")
        }
        let bus = ErrorBus(handler: ErrorHandler(), configuration: configuration)
        bus.post(Numbered(1))
        let poster = Task { @concurrent in bus.post(Numbered(2)) }
        await entered.wait()
        bus.post(Numbered(3))
        let left = await bus.shutdown(within: .zero)
        expect(left.compactMap { ($0.error as? Numbered)?.number }, equals: [1, 3])
        gate.open()
        await poster.value
        expect(written.entries, equals: ["2: the bus has finished"])
        expect(bus.statistics, equals: .init(posted: 3, dropped: 3))
    }

    // MARK: Support

    private func configuration(
        _ clock: ManualClock,
        by fingerprint: @escaping @Sendable (ErrorReport) -> String
    ) -> ErrorBus.Configuration {
        .init(floodLimit: FloodLimit(first: 1, per: .seconds(10), by: fingerprint), clock: clock)
    }

    private func makeBus(
        first: Int,
        capacity: Int = 100,
        handler: ErrorHandler = ErrorHandler()
    ) -> ErrorBus {
        let limit = FloodLimit(first: first, per: .seconds(10))
        return ErrorBus(handler: handler, configuration: .init(capacity: capacity, floodLimit: limit, clock: clock))
    }

    /// Returns summaries of the errors that a body posts.
    ///
    /// They are delivered after the last post.
    private func summaries(first: Int, _ post: (ErrorBus) -> Void) async -> [String] {
        let bus = makeBus(first: first)
        let reports = bus.reports()
        post(bus)
        bus.finish()
        await bus.run()
        #expect(bus.statistics.isBalanced)
        expect(bus.statistics.pending, equals: 0)
        return await reports.collected().map(\.summary)
    }
}

extension ErrorReport {
    /// The error, and how many errors the report represents: `7`, or `7 ×3`.
    var summary: String {
        let text = (error as? Numbered).map { "\($0.number)" } ?? "\(error)"
        return occurrences == 1 ? text : "\(text) ×\(occurrences)"
    }
}
