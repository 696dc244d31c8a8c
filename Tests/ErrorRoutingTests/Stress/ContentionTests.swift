import Synchronization
import TestSupport
import Testing

@testable import ErrorRouting

/// All that posters, a worker and a shutdown do at once, from the mailbox alone to the whole bus.
///
/// | part | what its tests catch |
/// | --- | --- |
/// | mailbox | a place lost or read twice, a wake too few or too many |
/// | intake | a capacity that is exceeded or missed by one, and a post that is accepted after the last drain |
/// | notices | a drop that is in two notices, or in none |
@Suite(
    "Behaviours 11, 13, 14 and 16: under contention nothing is lost, doubled or miscounted",
    .tags(.behaviour11, .behaviour13, .behaviour14, .behaviour16), .hangLimit)
struct ContentionTests {}

extension ContentionTests {
    // MARK: Intake

    @Test("of many posters at once exactly as many are accepted as there is room for, and one makes a notice")
    func exactCapacity() async {
        for capacity in [1, 7, 64, 500, 10_000] {
            let (box, answers) = (IntakeBox(capacity: capacity), Journal<[IntakeBox.Reservation]>())
            await onThreads(8) { thread in
                answers.note((0..<500).map { box.reserve(thread * 500 + $0) })
            }
            let all = answers.entries.flatMap { $0 }
            let accepted = min(capacity, 4_000)
            expect(all.compactMap(\.place).sorted(), equals: Array(0..<accepted))
            expect(all.count { $0 == .full(makesNotice: true) }, equals: (accepted < 4_000 ? 1 : 0))
            expect(Int(box.intake.accepted), equals: accepted)
            expect(Int(box.intake.drops.unreported), equals: 4_000 - accepted)
        }
    }

    @Test(
        "while the loop takes and releases, never more are accepted than there is room for, and none is lost",
        arguments: [1, 6, 7, 62, 63, 128]
    )
    func capacityWhileReleasing(capacity: Int) async {
        let (box, posters, each) = (IntakeBox(capacity: capacity), 4, isLong ? 2_000 : 1_000)
        let (accepted, taken, isExact) = (Journal<Int>(), Journal<Int>(), Journal<Bool>())
        let left = Countdown(posters)
        await onThreads(posters + 1) { thread in
            if thread < posters {
                for number in 0..<each where box.post(thread * each + number) != nil {
                    accepted.note(thread * each + number)
                }
                left.step()
                return
            }
            var released = 0
            while true {
                let isLast = left.isOver
                // All that was accepted takes room, and only this thread releases.
                isExact.note(Int(box.intake.state.accepted) - released <= capacity)
                let numbers = box.takeAll()
                for number in numbers {
                    taken.note(number)
                    released += 1
                    if released % 2 == 0 { box.releaseOne() } else { box.release(released) }
                }
                if isLast { break }
            }
        }
        expect(taken.entries.sorted(), equals: accepted.entries.sorted())
        for poster in 0..<posters {
            let own = taken.entries.filter { $0 / each == poster }
            expect(own, equals: own.sorted())
        }
        #expect(isExact.entries.allSatisfy { $0 })
        #expect(box.intake.accepted == accepted.entries.count)
        #expect(box.intake.drops.unreported == posters * each - accepted.entries.count)
        #expect(box.close() && box.end())
    }

    @Test("no post slips in after the end: what was accepted is taken, and all else is refused", arguments: 0..<20)
    func intakeEndInTheMidst(round: Int) async {
        let (box, posters, each) = (IntakeBox(capacity: 1_000), 3, 300)
        let (accepted, taken) = (Journal<Int>(), Journal<Int>())
        await onThreads(posters + 1) { thread in
            if thread < posters {
                for number in 0..<each where box.post(number) != nil { accepted.note(number) }
                return
            }
            var released = 0
            for turn in 0... {
                released += box.takeAll().count
                box.release(released)
                if turn == round * 20 { _ = box.close() }
                if box.end() { break }
            }
            taken.note(released)
        }
        expect(taken.entries, equals: [accepted.entries.count])
        expect(box.takeAll(), equals: [])
        #expect(box.intake.refused == posters * each - accepted.entries.count)
    }

    @Test(
        "an intake is shut in the midst of posts: what was accepted is taken once, or refused, and counted",
        arguments: 0..<20)
    func intakeShutInTheMidst(round: Int) async {
        let (box, posters, each) = (IntakeBox(capacity: 1_000), 3, 300)
        let (accepted, refused, taken) = (Journal<Int>(), Journal<Int>(), Journal<Int>())
        await onThreads(posters + 1) { thread in
            if thread < posters {
                for number in (thread * each)..<(thread * each + each) {
                    switch box.post(number) {
                    case .refused?: refused.note(number)
                    case .some: accepted.note(number)
                    case nil: break
                    }
                }
                return
            }
            for _ in 0..<(round * 10) {
                for number in box.takeAll() {
                    taken.note(number)
                    box.releaseOne()
                }
            }
            for number in box.abort() { taken.note(number) }
        }
        expect(taken.entries.sorted(), equals: accepted.entries.sorted())
        #expect(refused.entries.count <= posters)
        #expect(box.intake.accepted == accepted.entries.count + refused.entries.count)
        expect(Int(box.intake.accepted + box.intake.refused + box.intake.drops.unreported), equals: posters * each)
    }

    // MARK: Notices

    @Test("each drop is in one notice, which is not empty, and none is left when all is delivered")
    func noticesUnderWay() async {
        let (bus, posters, each) = (DrivenStorage(capacity: 1), 4, 4_000)
        let reported = Journal<Int>()
        let left = Countdown(posters)
        await onThreads(posters + 1) { [storage = UncheckedStorage(bus)] thread in
            if thread < posters {
                for number in 0..<each { storage.post(number) }
                return left.step()
            }
            while true {
                let isLast = left.isOver
                for case .drops(let drops) in storage.bus.drain() { reported.note(drops.count) }
                if isLast { break }
            }
        }
        let statistics = bus.statistics
        expect(reported.entries.reduce(0, +), equals: statistics.dropped)
        #expect(reported.entries.allSatisfy { $0 > 0 })
        expect(statistics.posted, equals: posters * each + reported.entries.count)
        expect(statistics.pending, equals: 0)
        #expect(statistics.isBalanced)
    }

    @Test(
        "a bus is shut in the midst of drops: each is reported once, by the shutdown or by a dropper", arguments: 0..<40
    )
    func noticesShutInTheMidst(round: Int) async {
        let (bus, posters, each) = (DrivenStorage(capacity: 1), 4, 500)
        let (dropped, reported) = (Journal<Int>(), Journal<Int>())
        await onThreads(posters + 1) { [storage = UncheckedStorage(bus)] thread in
            if thread < posters {
                for number in 0..<each {
                    let (isDropped, drops) = storage.post(number)
                    if isDropped { dropped.note(number) }
                    if let drops { reported.note(drops.count) }
                }
                return
            }
            for _ in 0..<round {
                for case .drops(let drops) in storage.bus.drain() { reported.note(drops.count) }
            }
            for case .drops(let drops) in storage.bus.abort().reports { reported.note(drops.count) }
        }
        expect(reported.entries.reduce(0, +), equals: dropped.entries.count)
        #expect(reported.entries.allSatisfy { $0 > 0 })
        #expect(bus.statistics.isBalanced)
        expect(bus.statistics.pending, equals: 0)
    }

    @Test("a drop that is announced while the bus ends is reported once: by a notice, at the end, or by its dropper")
    func noticeAtTheEnd() async {
        for _ in 0..<500 {
            let (bus, reported) = (DrivenStorage(capacity: 1), Journal<Int>())
            _ = bus.finish()
            await onThreads(2) { [bus = UncheckedStorage(bus)] thread in
                if thread == 0 {
                    _ = bus.bus.storage.intake.drops.add(Numbered.self)
                    if bus.bus.storage.intake.announceDrops(at: .init()) { return }
                } else {
                    for case .drops(let drops) in bus.bus.drain() { reported.note(drops.count) }
                }
                if let drops = bus.bus.storage.perform({ $0.dropsAfterEnd($1) }) { reported.note(drops.error.count) }
            }
            expect(reported.entries, equals: [1])
        }
    }

    // MARK: Bus

    @Test(
        "posted, delivered and shut down at once, each report ends once, and all are counted",
        arguments: [1, 2, 6, 7, 62, 63, 1_000], [false, true]
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
            expect(ends.sorted(), equals: accepted.entries.sorted())
            for poster in 0..<posters {
                let own = ends.filter { $0 / each == poster }
                expect(own, equals: own.sorted())
            }
            #expect(statistics.isBalanced)
            expect(statistics.pending, equals: 0)
            expect(statistics.posted, equals: posters * each)
            expect(statistics.dropped, equals: posters * each - statistics.handled)
            #expect(refused.entries.count <= statistics.dropped)
            guard observation != nil else { continue }
            let atEnd = await end.value
            #expect(atEnd.isBalanced)
            expect(atEnd.handled, equals: statistics.handled)
            expect(observed.entries, equals: Array(handled.entries.prefix(statistics.handled)))
        }
    }

    /// Posts without a line on standard error if the post comes too late.
    private func post(_ number: Int, to bus: ErrorBus) -> Mailbox<Posting>.FillResult? {
        let reservation = IntakeBox.Reservation(bus.storage.intake, for: Numbered(number))
        guard case .accepted(let place) = reservation else { return nil }
        let role = number % 50 == 0 ? ErrorReport.Role.notice : .failure
        let posting = Posting(Numbered(number), as: role, at: .init())
        let answer = bus.storage.intake.mailbox.fill(Int64(place), with: posting)
        if answer == .refused { _ = bus.storage.intake.mailbox.reclaim(Int64(place)) }
        if answer == .filledForSleeper { bus.wakeUps.signal() }
        return answer
    }
}

/// A storage that posters use on several threads, and one thread drives.
///
/// Unchecked, since posters touch nothing but the storage itself.
private struct UncheckedStorage: @unchecked Sendable {
    let bus: DrivenStorage

    init(_ bus: DrivenStorage) { self.bus = bus }

    /// Posts as the bus does; returns whether the error was dropped since the bus was full, and the drops that nobody
    /// else reports.
    @discardableResult
    func post(_ number: Int) -> (isDropped: Bool, drops: ErrorsDropped?) {
        switch bus.reserve(for: Numbered(number)) {
        case .accepted(let place):
            bus.fill(place, with: IntakeBox.posting(Numbered(number)))
        case .full(let makesNotice):
            guard makesNotice, !bus.storage.intake.announceDrops(at: .init()) else { return (true, nil) }
            return (true, bus.storage.perform { $0.dropsAfterEnd($1)?.error })
        case .closed: break
        }
        return (false, nil)
    }
}
