import Testing

@testable import ErrorRouting

@Suite("What posters and the bus agree on, under contention (behaviours 13 and 14)", .timeLimit(.minutes(2)))
struct BusIntakeContentionTests {
    @Test("of many posters at once exactly as many are accepted as there is room for, and one makes a notice")
    func exactCapacity() async {
        for capacity in [1, 7, 500, 10_000] {
            let (box, answers) = (IntakeBox(capacity: capacity), Journal<[IntakeBox.Reservation]>())
            await onThreads(8) { thread in
                answers.note((0..<500).map { box.reserve(thread * 500 + $0) })
            }
            let all = answers.entries.flatMap { $0 }
            let dropped = max(0, 4_000 - capacity)
            #expect(all.count { $0 == .accepted } == 4_000 - dropped)
            #expect(all.count { $0 == .full(makesNotice: true) } == min(1, dropped))
            #expect(box.intake.counts.accepted == 4_000 - dropped && box.intake.counts.untoldDrops == dropped)
        }
    }

    @Test("while the loop takes and releases, never more are accepted than there is room for, and none is lost")
    func capacityWhileReleasing() async {
        let (box, posters, capacity) = (IntakeBox(capacity: 16), 4, 16)
        let (accepted, taken, most) = (Journal<Int>(), Journal<Int>(), Journal<Int>())
        let left = Countdown(posters)
        await onThreads(posters + 1) { thread in
            if thread < posters {
                for number in 0..<2_000 where box.reserve(number) == .accepted {
                    accepted.note(number)
                    _ = box.push(number)
                }
                left.step()
                return
            }
            var (count, released, highest) = (0, 0, 0)
            while true {
                let isLast = left.isOver
                let batch = box.takeAll()
                count += batch.count
                // All that was taken was accepted, and only this thread releases.
                highest = max(highest, count - released)
                for _ in batch {
                    released += 1
                    box.intake.release(released)
                }
                if isLast { break }
            }
            taken.note(count)
            most.note(highest)
        }
        #expect(taken.entries == [accepted.entries.count])
        #expect(most.entries[0] <= capacity)
        #expect(box.intake.counts.accepted == accepted.entries.count)
        #expect(box.intake.counts.untoldDrops == posters * 2_000 - accepted.entries.count)
        #expect(box.close() && box.end())
    }

    @Test("no post slips in after the end: what was accepted is taken, and all else is refused", arguments: 0..<20)
    func endInTheMidst(round: Int) async {
        let (box, posters, each) = (IntakeBox(capacity: .max), 3, 300)
        let (accepted, taken) = (Journal<Int>(), Journal<Int>())
        await onThreads(posters + 1) { thread in
            if thread < posters {
                for number in 0..<each where box.reserve(number) == .accepted {
                    accepted.note(number)
                    _ = box.push(number)
                }
                return
            }
            var released = 0
            for turn in 0... {
                released += box.takeAll().count
                box.intake.release(released)
                if turn == round * 20 { _ = box.close() }
                if box.end() { break }
            }
            taken.note(released)
        }
        #expect(taken.entries == [accepted.entries.count])
        #expect(box.takeAll() == [])
        #expect(box.intake.counts.refused == posters * each - accepted.entries.count)
    }

    @Test("notices on their way: each drop is told of once, by a notice that is alone and not empty")
    func noticesUnderWay() async {
        let (box, posters, each) = (IntakeBox(capacity: 1), 4, 4_000)
        let (told, most, known) = (Journal<Int>(), Journal<Int>(), Journal<Bool>())
        let left = Countdown(posters)
        _ = box.reserve(0)
        await onThreads(posters + 1) { thread in
            if thread < posters {
                for number in 0..<each where box.reserve(number) == .full(makesNotice: true) {
                    if box.reserveNotice() { _ = box.pushNotice() }
                }
                left.step()
                return
            }
            var isOver = false
            while !isOver {
                isOver = left.isOver
                // Until a notice is taken, and its drops with it, nobody makes another one.
                let notices = box.takeAll()
                if notices.isEmpty { continue }
                most.note(notices.count)
                // The bus must not end as long as one is there.
                known.note(box.intake.state.hasNotice)
                for _ in notices { told.note(box.takeDropsOfNotice()) }
                isOver = false
            }
        }
        #expect(told.entries.reduce(0, +) == posters * each)
        #expect(told.entries.allSatisfy { $0 > 0 })
        #expect(most.entries.allSatisfy { $0 == 1 } && known.entries.allSatisfy { $0 })
        #expect(box.intake.counts.untoldDrops == 0 && box.intake.counts.notices == 0)
    }

    @Test("where no notice can be delivered any more, whoever would make one takes all that is untold")
    func dropsThatNobodyDelivers() async {
        let (box, told) = (IntakeBox(capacity: 1), Locked(0))
        _ = box.reserve(0)
        await onThreads(4) { _ in
            for number in 0..<4_000 where box.reserve(number) == .full(makesNotice: true) {
                told.withLock { $0 += box.intake.takeDrops().count }
            }
        }
        #expect(told.withLock { $0 } == 4 * 4_000)
        #expect(box.intake.counts.untoldDrops == 0)
    }
}
