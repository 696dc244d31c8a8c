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
            let (road, reports) = (Road(reports: 300), 300)
            let moment = Int.random(in: -5...330, using: &random)
            let (counted, left) = (Locked(0), Locked<Int?>(nil))
            let isOver = Countdown(1)
            road.box.intake.publishReleased(1)
            road.open(at: 0, sequence: 1)
            await onThreads(2) { thread in
                if thread == 0 {
                    let last = work(on: road, from: 0)
                    counted.withLock { $0 = last }
                    isOver.step()
                    return
                }
                // Comes too late where the worker has ended before.
                while road.lane.counts.handled < moment, !isOver.isOver {}
                let number = road.withdraw()
                let counts = road.counts
                left.withLock { $0 = number }
                guard let number else { return }
                #expect(counts == [number, 0, 0])
                // The worker may still look at the report that it is at: that stays where it is.
                for place in (number + 1)..<reports { #expect(road.box.shut(place) == place) }
            }
            let (last, withdrawn) = (counted.withLock { $0 }, left.withLock { $0 })
            #expect(last == (withdrawn ?? reports))
            #expect(road.counts == [withdrawn ?? reports - 1, 0, 0])
            #expect(road.released == (withdrawn ?? reports - 1) + 1)
            if let withdrawn { #expect(road.box.isFilled(at: withdrawn)) }
        }
    }

    /// Works as the worker does: goes on until the lane ends, and closes it.
    ///
    /// - Returns: How many reports it has brought to an end.
    private func work(on road: Road, from first: Int) -> Int {
        var number = first
        while true {
            switch road.goOn(from: number, isObserved: number % 2 == 0) {
            case .next:
                _ = number % 2 == 1 || road.announced(at: number + 1)
                road.box.empty(number)
                number += 1
            case .withdrawn:
                return number
            case .last:
                return road.close() == nil ? number : number + 1
            }
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
    private func post(_ number: Int, to bus: ErrorBus) -> Mailbox<Posting>.FillAnswer? {
        guard case .accepted(let place) = bus.storage.reserve(for: Numbered(number)) else { return nil }
        let role = number % 50 == 0 ? ErrorReport.Role.notice : .failure
        let answer = bus.storage.fill(place, with: Posting(Numbered(number), as: role, at: .init()))
        if answer == .refused { _ = bus.storage.reclaim(place) }
        if answer == .filledForSleeper { bus.waker.yield() }
        return answer
    }
}
