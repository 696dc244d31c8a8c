import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@testable import ErrorPresentation

@MainActor
@Suite(
    "P2: a burst of errors wakes the main actor once per batch",
    .tags(.presentation2, .presentation3), .serialized, .hangLimit)
struct BurstTests {}

extension BurstTests {
    @Test("all errors that arrive while the main actor is busy cost one wake-up, and the next batch costs another one")
    func wakeUps() async {
        let presenter = ErrorPresenter(rules: .alerts)
        let receive = presenter.receiver
        for batch in 1...3 {
            // This loop keeps the main actor busy.
            for index in 0..<1_000 { receive(.delivered(Plain("error \(index % 10)"))) }
            expect(presenter.wakeUps, equals: batch - 1)
            expect(presenter.current?.count, equals: (batch == 1 ? nil : 100 * (batch - 1)))
            expect(presenter.statistics.waiting, equals: 1_000 + (batch == 1 ? 0 : 9))
            #expect(presenter.isSound)
            await waitUntil { presenter.statistics.waiting == 9 }
            expect(presenter.wakeUps, equals: batch)
        }
        expect(presenter.statistics, equals: .init(received: 3_000, shown: 1, waiting: 9, merged: 2_990))
    }

    @Test("errors without room while the main actor is slow are counted, and so are errors that are never shown")
    func overflow() async {
        let presenter = ErrorPresenter(rules: .alerts, limit: 2)
        let receive = presenter.receiver
        for index in 0..<5_000 { receive(.delivered(Plain("error \(index)"))) }
        for _ in 0..<10 { receive(.delivered(Plain("ignored"), .ignored)) }
        expect(presenter.statistics, equals: .init(received: 5_010, waiting: 1_024, discarded: 3_976, neverShown: 10))
        await waitUntil { presenter.current != nil }
        expect(
            presenter.statistics, equals: .init(received: 5_010, shown: 1, waiting: 2, discarded: 4_997, neverShown: 10)
        )
        expect([presenter.waiting, presenter.discarded, presenter.wakeUps], equals: [2, 4_997, 1])
    }

    @Test("P2: errors that are never shown take no room, and don't count as discarded if there is no room")
    func neverShown() async {
        let presenter = ErrorPresenter(rules: .alerts, limit: 0)
        let receive = presenter.receiver
        let marked = ErrorReport.delivered(Plain("seen"), metadata: OwnViewMark.metadata(for: Plain("seen")))
        let isNeverShown: [ErrorReport] = [
            .delivered(Plain("notice"), as: .notice), .delivered(CancellationError(), as: .notice),
            .delivered(Plain("ignored"), .ignored), marked,
        ]
        for _ in 0..<1_024 { isNeverShown.forEach(receive) }
        expect(presenter.statistics, equals: .init(received: 4_096, neverShown: 4_096))
        for _ in 0..<1_024 { receive(.delivered(Plain("to be shown"))) }
        isNeverShown.forEach(receive)
        expect(presenter.statistics, equals: .init(received: 5_124, waiting: 1_024, neverShown: 4_100))
        await waitUntil { presenter.current != nil }
        expect(presenter.statistics, equals: .init(received: 5_124, shown: 1, merged: 1_023, neverShown: 4_100))
    }

    @Test("errors that are presented in between keep their order and don't double the wake-ups")
    func presentedInBetween() async {
        let presenter = ErrorPresenter(rules: .alerts, limit: 2_000)
        let receive = presenter.receiver
        for index in 0..<500 {
            receive(.delivered(Plain("from the bus \(index)")))
            presenter.present(Plain("by hand \(index)"))
        }
        expect([presenter.waiting, presenter.wakeUps], equals: [999, 0])
        expect(presenter.current?.message, equals: "from the bus 0")
        await waitUntil { presenter.wakeUps > 0 }
        receive(.delivered(Plain("later")))
        await waitUntil { presenter.waiting == 1_000 }
        expect(presenter.wakeUps, equals: 2)
    }

    @Test(
        "in a burst over a bus from several tasks, the counts always add up, and the bus doesn't wait",
        arguments: [1_000, isLong ? 100_000 : 10_000])
    func burst(count: Int) async {
        let presenter = ErrorPresenter(rules: .alerts.on(Plain("never"), .hidden))
        let handler = ErrorHandler().ignore(Plain("ignored"))
        let texts = ["a", "b", "ignored", "never"] + (0..<100).map { "error \($0)" }
        var checks = 0
        await withErrorBus(handler: handler, configuration: .init(capacity: 2 * count)) { bus in
            let observation = presenter.observe(bus)
            for task in 0..<4 {
                bus.task { @concurrent in
                    var random = SplitMix64(seed: UInt64(task))
                    for _ in 0..<count / 4 { bus.post(Plain(texts.randomElement(using: &random) ?? "")) }
                }
            }
            var last = ErrorPresenter.Statistics()
            await eventually("the presenter has received every error", within: .seconds(600)) {
                let now = presenter.statistics
                checks += 1
                #expect(presenter.isSound, "\(now)")
                let differences = [
                    now.received - last.received, now.shown - last.shown, now.merged - last.merged,
                    now.discarded - last.discarded, now.neverShown - last.neverShown,
                ]
                expect(differences.filter { $0 < 0 }, equals: [], "\(now)")
                last = now
                if checks % 5 == 0 { presenter.dismiss() }
                return now.received >= count
            }
            await waitUntil { presenter.statistics.waiting == presenter.waiting }
            withExtendedLifetime(observation) {}
        }
        let end = presenter.statistics
        expect(end.received, equals: count)
        #expect(presenter.isSound)
        #expect(presenter.waiting <= 64)
        #expect(end.neverShown > 0)
        #expect((1...count - end.discarded).contains(presenter.wakeUps))
        print("burst of \(count): \(end); \(presenter.wakeUps) wake-ups, looked at \(checks) times")
    }
}

@Suite("P2: a presenter's inbox passes each error once", .tags(.presentation2), .hangLimit)
struct PresenterInboxTests {}

extension PresenterInboxTests {
    @Test("it requests one wake-up until it is emptied, and none after it is closed")
    func wakeUps() {
        let inbox = PresenterInbox(capacity: 2)
        expect((0..<4).map { _ in inbox.receive(.delivered(Plain(""))) }, equals: [true, false, false, false])
        expect(inbox.counts, equals: .init(received: 4, waiting: 2, discarded: 2))
        let batch = inbox.takeAll(atWakeUp: true)
        expect(batch.arrivals.count, equals: 2)
        expect(inbox.counts, equals: .init())
        // An ignored error wakes the main actor too, because it is counted.
        #expect(inbox.receive(.delivered(Plain(""), .ignored)))
        inbox.close()
        #expect(!inbox.receive(.delivered(Plain(""))))
        expect(inbox.counts, equals: .init())
        #expect(inbox.takeAll().arrivals.isEmpty)
    }

    @Test("each error is in exactly one batch, however many threads fill it", .hangLimit)
    func manyThreads() async {
        let inbox = PresenterInbox(capacity: 64)
        let total = await withTaskGroup(of: ErrorPresenter.Statistics.self) { group in
            for _ in 0..<4 {
                group.addTask { @concurrent in
                    for _ in 0..<5_000 { _ = inbox.receive(.delivered(Plain("x"))) }
                    return inbox.takeAll().counts
                }
            }
            group.addTask { @concurrent in
                var total = ErrorPresenter.Statistics()
                for _ in 0..<1_000 {
                    let batch = inbox.takeAll()
                    expect(batch.arrivals.count, equals: batch.counts.waiting)
                    total = total + batch.counts
                }
                return total
            }
            return await group.reduce(ErrorPresenter.Statistics()) { $0 + $1 }
        }
        expect((total + inbox.takeAll().counts).received, equals: 20_000)
    }
}

extension ErrorReport {
    /// Returns a report as a bus passes it to observers.
    static func delivered(
        _ error: any Error,
        _ disposition: HandleOutcome.Disposition = .unmatched,
        as role: ErrorReport.Role = .failure,
        metadata: [String: String] = [:],
        occurrences: Int = 1
    ) -> ErrorReport {
        ErrorReport(
            error: error, role: role, source: .init(), metadata: metadata, occurrences: occurrences,
            outcome: HandleOutcome(disposition: disposition))
    }
}
