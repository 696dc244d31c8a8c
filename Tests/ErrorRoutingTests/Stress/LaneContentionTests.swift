import Synchronization
import TestSupport
import Testing

@testable import ErrorRouting

/// Catches a report that is counted twice or not at all, where a shutdown withdraws it from a worker.
@Suite(
    "Behaviours 14 and 16: a lane counts exactly when it is withdrawn while a worker goes on",
    .tags(.behaviour14, .behaviour16), .hangLimit)
struct LaneContentionTests {
    @Test("each report is counted or withdrawn, and counts are exact at once", arguments: 0..<8 as Range<UInt64>)
    func withdrawing(seed: UInt64) async {
        var random = SplitMix64(seed: seed)
        for _ in 0..<60 {
            let (road, reports) = (Road(), 300 as Int64)
            let moment = Int64.random(in: -5...330, using: &random)
            let (counted, withdrawn) = (Locked(0 as Int64), Locked(nil as Int64?))
            let isOver = Countdown(1)
            road.lane.open(at: 0)
            await onThreads(2) { thread in
                if thread == 0 {
                    // Works as the worker does, until the lane is withdrawn or the last report is in delivery.
                    var number: Int64 = 0
                    while number < reports, road.goOn(from: number, isTold: number % 2 == 0) {
                        _ = number % 2 == 1 || road.told(at: number + 1)
                        number += 1
                    }
                    let last = number
                    counted.withLock { $0 = last }
                    isOver.step()
                    return
                }
                while road.lane[.handled] < moment, !isOver.isOver {}
                let stop = road.withdraw()
                #expect(road.counts == [Int(stop.number), 0, 0])
                withdrawn.withLock { $0 = stop.number }
            }
            #expect(counted.withLock { $0 } == withdrawn.withLock { $0 })
            #expect(road.counts == [Int(counted.withLock { $0 }), 0, 0])
        }
    }

    @Test(
        "posted, delivered in the lane and shut down at once, each report ends once, and all are counted",
        arguments: [1, 2, 63, 64, 65, 128, 1_000], [false, true]
    )
    func wholeBus(capacity: Int, isObserved: Bool) async {
        let (posters, each) = (2, 400)
        for round in 0..<20 {
            let (handled, accepted, refused) = (Journal<Int>(), Journal<Int>(), Journal<Int>())
            let bus = ErrorBus(handler: .noting(handled), configuration: .init(capacity: capacity))
            let (observed, end) = (Journal<Int>(), Promise<ErrorBus.Statistics>())
            let observation =
                !isObserved
                ? nil
                : bus.observe { report in
                    if let error = report.error as? Numbered { observed.note(error.number) }
                } onEnd: {
                    end.fulfill($0)
                }
            let left = Countdown(posters)
            async let running: Void = bus.run()
            async let posting: Void = onThreads(posters) { thread in
                for number in (thread * each)..<(thread * each + each) {
                    switch post(number, to: bus) {
                    case .refused?: refused.note(number)
                    case .some: accepted.note(number)
                    case nil: break
                    }
                }
                left.step()
            }
            while handled.entries.count < round * 40, !left.isOver { await Task.yield() }
            let rest = await bus.shutdown(within: .zero).compactMap { ($0.error as? Numbered)?.number }
            _ = await (running, posting)
            let statistics = bus.statistics
            // The action in flight may have noted its report, which counts as dropped.
            #expect([0, 1].contains(handled.entries.count - statistics.handled))
            let ends = handled.entries.prefix(statistics.handled) + rest
            #expect(ends.sorted() == accepted.entries.sorted())
            for poster in 0..<posters {
                let own = ends.filter { $0 / each == poster }
                #expect(own == own.sorted())
            }
            #expect(statistics.isBalanced && statistics.pending == 0 && statistics.posted == posters * each)
            #expect(statistics.dropped == posters * each - statistics.handled)
            #expect(refused.entries.count <= statistics.dropped)
            guard observation != nil else { continue }
            let atEnd = await end.value
            #expect(atEnd.isBalanced && atEnd.handled == statistics.handled)
            #expect(observed.entries == Array(handled.entries.prefix(statistics.handled)))
        }
    }

    /// Posts without a line on standard error if the post comes too late.
    private func post(_ number: Int, to bus: ErrorBus) -> Mailbox<Posting>.FillResult? {
        let reservation = bus.storage.shared.intake.reserve(for: Numbered(number))
        guard case .accepted(let place) = reservation else { return nil }
        let role = number % 50 == 0 ? ErrorReport.Role.notice : .failure
        let posting = Posting(Numbered(number), as: role, at: .init())
        let answer = bus.storage.shared.intake.mailbox.fill(place, with: posting)
        if answer == .refused { _ = bus.storage.shared.intake.reclaim(place) }
        if answer == .filledForSleeper { bus.waker.yield() }
        return answer
    }
}
