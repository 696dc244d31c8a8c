import TestSupport
import Testing

@testable import ErrorRouting

/// Catches a drop that is in two notices, or in none.
@Suite(
    "Behaviours 13 and 14: each drop is in one notice, also under contention",
    .tags(.behaviour13, .behaviour14), .hangLimit)
struct NoticeContentionTests {
    @Test("each drop is in one notice, which is alone and not empty")
    func noticesUnderWay() async {
        let (box, posters, each) = (IntakeBox(capacity: 1), 4, 4_000)
        let (told, known) = (Journal<Int>(), Journal<Bool>())
        let left = Countdown(posters)
        box.post(0)
        _ = box.takeAll()
        await onThreads(posters + 1) { thread in
            if thread < posters {
                for number in 0..<each where box.reserve(number) == .full(makesNotice: true) {
                    known.note(box.announce())
                }
                left.step()
                return
            }
            while true {
                let isLast = left.isOver
                // Until a notice and its drops are taken, nobody makes another one.
                let notices = box.takeAll()
                if notices.isEmpty, isLast { break }
                if notices.isEmpty { continue }
                // The bus must not end as long as there is a notice.
                known.note(notices == [-1] && box.intake.state.hasNotice && !box.hasTakenNotice())
                told.note(box.takeDrops())
            }
        }
        #expect(told.entries.reduce(0, +) == posters * each)
        #expect(told.entries.allSatisfy { $0 > 0 })
        #expect(known.entries.allSatisfy { $0 })
        #expect(box.intake.counts.untoldDrops == 0 && box.intake.counts.notices == 0)
    }

    @Test("shut in the midst of drops, each is counted once, by the shutdown or by a dropper", arguments: 0..<40)
    func shutInTheMidst(round: Int) async {
        let (box, posters, each) = (IntakeBox(capacity: 1), 4, 500)
        let (dropped, told) = (Journal<Int>(), Journal<Int>())
        let hasEnded = Locked(false)
        box.post(0)
        _ = box.takeAll()
        await onThreads(posters + 1) { thread in
            if thread < posters {
                var drops = 0
                for number in 0..<each {
                    guard case .full(let makesNotice) = box.reserve(number) else { continue }
                    drops += 1
                    guard makesNotice else { continue }
                    // What `ErrorBus` does when it announces drops.
                    let isAnnounced = box.announce()
                    hasEnded.withLock { hasEnded in
                        if !hasEnded || isAnnounced && !box.hasTakenNotice() { return }
                        told.note(box.takeDrops())
                    }
                }
                dropped.note(drops)
                return
            }
            for _ in 0..<(round * 10) where box.take() == -1 { told.note(box.takeDrops()) }
            hasEnded.withLock { hasEnded in
                hasEnded = true
                for notice in box.shut() where notice == -1 { told.note(box.takeDrops()) }
            }
        }
        #expect(told.entries.reduce(0, +) == dropped.entries.reduce(0, +))
        let refused = Int(box.intake.counts.refused)
        #expect(box.intake.counts.untoldDrops == 0 && refused + dropped.entries.reduce(0, +) == 2_000)
        #expect(!box.hasTakenNotice() && !box.announce())
    }
}
