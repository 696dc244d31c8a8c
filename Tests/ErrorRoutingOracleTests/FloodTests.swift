import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "Promise 20: a flood limit delivers the first errors of a kind, holds back the newest, and loses no count",
    .tags(.promise20), .hangLimit)
struct FloodTests {
    private static func limit(first: Int = 1) -> FloodLimit { FloodLimit(first: first, per: .seconds(10)) }
}

extension FloodTests {
    @Test("of the later errors, the newest is pending until the window ends; the next error opens a new window")
    func windows() async {
        let stage = Stage(floodLimit: Self.limit(first: 2))
        await stage.running {
            for round in 0..<3 {
                for number in 1...6 { stage.bus.post(Mishap(10 * round + number), line: 1) }
                await eventually("the round's later errors are suppressed") {
                    stage.bus.counts.suppressed >= 3 * (round + 1)
                }
                await stage.clock.waitForSleepers()
                stage.clock.advance(by: .seconds(9))
                // The window's end is still ahead. Nothing else can release the report.
                await stage.sleepersReach(1)
                expect(stage.bus.counts.pending, equals: 1)
                expect(stage.seen.count, equals: 3 * round + 2)
                stage.clock.advance(by: .seconds(1))
                await stage.seen.reaches(3 * (round + 1))
            }
        }
        let expected = (0..<3).flatMap { ["\(10 * $0 + 1)", "\(10 * $0 + 2)", "\(10 * $0 + 6) ×4"] }
        expect(stage.seen.entries.labels, equals: expected)
        expect(stage.bus.counts, equals: Counts(posted: 18, unmatched: 9, suppressed: 9))
        stage.expectLaws()
    }

    /// The events that release held reports before their window ends.
    private enum Release: CaseIterable { case finish, flush, shutdown, cancelledRun }

    @Test("finish, flush, a shutdown with time, and a cancelled run release held reports", arguments: Release.allCases)
    private func released(release: Release) async {
        let stage = Stage(floodLimit: Self.limit())
        let run = Task { await stage.bus.run() }
        for number in 1...4 { stage.bus.post(Mishap(number), line: 1) }
        await eventually("two errors are suppressed") { stage.bus.counts.suppressed >= 2 }
        await stage.clock.waitForSleepers()
        expect(stage.bus.counts, equals: Counts(posted: 4, unmatched: 1, suppressed: 2, pending: 1))
        switch release {
        case .finish: stage.bus.finish()
        case .flush:
            #expect(await stage.bus.flush(within: .seconds(5)))
            expect(stage.seen.entries.labels, equals: ["1", "4 ×3"])
            // The window continues, so the next error of this kind is held back too.
            stage.bus.post(Mishap(5), line: 1)
            // Delivery is in order, so the error would have been delivered before the next error, of another kind.
            await stage.bus.deliver(Mishap(6), line: 2)
            expect(stage.seen.entries.labels, equals: ["1", "4 ×3", "6"])
            expect(stage.bus.counts.pending, equals: 1)
            stage.bus.finish()
        case .shutdown: #expect(await stage.bus.shutdown(within: .seconds(5)).isEmpty)
        case .cancelledRun: run.cancel()
        }
        await run.value
        expect(stage.seen.entries.labels, equals: ["1", "4 ×3"] + (release == .flush ? ["6", "5"] : []))
        expect(stage.bus.counts.suppressed, equals: 2)
        stage.expectLaws()
    }

    @Test("type, case, line, scope, and role make a kind, payloads don't; the bus's own notices escape the limit")
    func kinds() async {
        let stage = Stage(ErrorHandler().on(Stray.self) { _ in throw Kinds.plain }, floodLimit: Self.limit())
        for _ in 1...3 {
            stage.bus.post(Mishap(1), line: 1)
            stage.bus.post(Mishap(2), line: 2)
            stage.bus.post(Mishap(3), as: .attempt, line: 1)
            stage.bus.scope("a").post(Mishap(4), line: 1)
            stage.bus.post(Mishap(5), as: .notice, line: 1)
        }
        for number in 1...3 {
            stage.bus.post(Kinds.loaded(number), line: 1)
            stage.bus.post(Kinds.plain, line: 1)
        }
        for line: UInt in 10...12 { stage.bus.post(Stray(), line: line) }
        await stage.drain()
        var counts: [String: [Int]] = [:]
        for report in stage.seen.entries {
            let name = (report.error as? Mishap).map { "\($0.number)" } ?? (report.error as? Kinds)?.name
            if let name { counts[name, default: []].append(report.occurrences) }
        }
        let merged = [1, 2]
        expect(
            counts,
            equals: [
                "1": merged, "2": merged, "3": merged, "4": merged, "5": [1, 1, 1], "loaded": merged, "plain": merged,
            ])
        expect(stage.seen.entries.count { $0.error is ActionFailure }, equals: 3)
        stage.expectLaws()
    }

    @Test("held reports precede later posts of other kinds if their window ended before the time of these posts")
    func order() async {
        let stage = Stage(floodLimit: Self.limit())
        for number in 1...3 { stage.bus.post(Mishap(number), line: 1) }
        stage.clock.advance(by: .seconds(25))
        for number in 4...5 { stage.bus.post(Mishap(number), line: 1) }
        await stage.drain()
        expect(stage.seen.entries.labels, equals: ["1", "3 ×2", "4", "5"])
        stage.expectLaws()
    }

    @Test("a custom fingerprint groups errors; its closure receives a report without outcome, and may post")
    func ownFingerprint() async {
        let limit = FloodLimit(first: 1, per: .seconds(10)) { report in
            #expect(report.outcome.disposition == .pending)
            if report.error is Stray { return "stray" }
            return "all"
        }
        let stage = Stage(floodLimit: limit)
        for number in 1...4 { stage.bus.post(Mishap(number), line: UInt(number)) }
        stage.bus.post(Stray())
        await stage.drain()
        expect(stage.seen.entries.labels.sorted(), equals: ["1", "4 ×3", "Stray"])
        stage.expectLaws()
    }

    @Test("in a flood from several threads on a full bus, occurrences and drops account for every post")
    func storm() async {
        for capacity in [2, 64, 1 << 16] {
            let stage = Stage(capacity: capacity, floodLimit: Self.limit(first: 3))
            await stage.running {
                await onThreads(4) { thread in
                    for number in 0..<300 { stage.bus.post(Mishap(number), line: UInt(number % (3 + thread))) }
                }
            }
            let reports = stage.seen.entries
            let drops = reports.compactMap { ($0.error as? ErrorsDropped)?.count }.reduce(0, +)
            let merged = reports.filter { $0.error is Mishap }.reduce(0) { $0 + $1.occurrences }
            expect(merged + drops, equals: 1_200)
            expect(stage.bus.counts.dropped, equals: drops)
            stage.expectLaws()
        }
    }
}

/// An error with cases.
private enum Kinds: Error {
    case loaded(Int), plain

    var name: String { if case .plain = self { "plain" } else { "loaded" } }
}
