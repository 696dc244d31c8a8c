import TestSupport
import Testing

@testable import ErrorRouting

/// Catches a capacity that is exceeded or missed by one, and a post that is accepted after the last drain.
@Suite("Behaviours 13 and 14: the intake is exact under contention", .tags(.behaviour13, .behaviour14), .hangLimit)
struct BusIntakeContentionTests {
    @Test("of many posters at once exactly as many are accepted as there is room for, and one makes a notice")
    func exactCapacity() async {
        for capacity in [1, 7, 64, 500, 10_000] {
            let (box, answers) = (IntakeBox(capacity: capacity), Journal<[IntakeBox.Reservation]>())
            await onThreads(8) { thread in
                answers.note((0..<500).map { box.reserve(thread * 500 + $0) })
            }
            let all = answers.entries.flatMap { $0 }
            let accepted = min(capacity, 4_000)
            #expect(all.compactMap(\.place).sorted() == Array(0..<accepted))
            #expect(all.count { $0 == .full(makesNotice: true) } == (accepted < 4_000 ? 1 : 0))
            #expect(box.intake.accepted == accepted && box.intake.drops.untold == 4_000 - accepted)
        }
    }

    @Test(
        "while the loop takes and releases, never more are accepted than there is room for, and none is lost",
        arguments: [1, 16, 63, 64, 65, 128]
    )
    func capacityWhileReleasing(capacity: Int) async {
        let (box, posters, each) = (IntakeBox(capacity: capacity), 4, 2_000)
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
        #expect(taken.entries.sorted() == accepted.entries.sorted())
        for poster in 0..<posters {
            let own = taken.entries.filter { $0 / each == poster }
            #expect(own == own.sorted())
        }
        #expect(isExact.entries.allSatisfy { $0 })
        #expect(box.intake.accepted == accepted.entries.count)
        #expect(box.intake.drops.untold == posters * each - accepted.entries.count)
        #expect(box.close() && box.end())
    }

    @Test("no post slips in after the end: what was accepted is taken, and all else is refused", arguments: 0..<20)
    func endInTheMidst(round: Int) async {
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
        #expect(taken.entries == [accepted.entries.count])
        #expect(box.takeAll() == [])
        #expect(box.intake.refused == posters * each - accepted.entries.count)
    }

    @Test("shut in the midst of posts: what was accepted is taken once, or refused, and counted", arguments: 0..<20)
    func shutInTheMidst(round: Int) async {
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
            for number in box.shut() { taken.note(number) }
        }
        #expect(taken.entries.sorted() == accepted.entries.sorted())
        #expect(box.intake.reclaimed == refused.entries.count && refused.entries.count <= posters)
        #expect(box.intake.accepted == accepted.entries.count + refused.entries.count)
        #expect(Int(box.intake.accepted + box.intake.refused + box.intake.drops.untold) == posters * each)
    }
}
