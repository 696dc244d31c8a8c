import Testing

@testable import ErrorRouting

@Suite("What posters and the bus agree on (behaviours 13 and 14)")
struct BusIntakeTests {
    @Test("a report counts as accepted from its reservation on, and is taken once it is pushed")
    func reserveThenPush() {
        let box = IntakeBox(capacity: 2)
        #expect(box.reserve(1) == .accepted)
        #expect(box.intake.counts.accepted == 1)
        #expect(box.takeAll() == [])
        #expect(box.push(1) == .pushed)
        #expect(box.takeAll() == [1])
        #expect(box.intake.counts.accepted == 1)
    }

    @Test("what is taken takes room until it is released")
    func releasing() {
        let box = IntakeBox(capacity: 2)
        #expect(box.reserve(1) == .accepted && box.reserve(2) == .accepted)
        _ = (box.push(1), box.push(2))
        #expect(box.takeAll() == [1, 2])
        #expect(box.reserve(3) == .full(makesNotice: true))
        box.intake.release(1)
        #expect(box.reserve(4) == .accepted)
        #expect(box.reserve(5) == .full(makesNotice: false))
        box.intake.release(3)
        #expect(box.reserve(6) == .accepted && box.reserve(7) == .accepted)
        #expect(box.reserve(8) == .full(makesNotice: false))
        #expect(box.intake.counts.accepted == 5 && box.intake.counts.untoldDrops == 3)
    }

    @Test("the first of the drops makes a notice, and the first after that was taken the next")
    func notices() {
        let box = IntakeBox(capacity: 1)
        #expect(box.reserve(1) == .accepted)
        for count in 1...3 {
            #expect(box.reserve(2) == .full(makesNotice: true))
            #expect(box.reserveNotice() && box.intake.counts.notices == 1)
            for _ in 1..<count { #expect(box.reserve(2) == .full(makesNotice: false)) }
            #expect(box.pushNotice() == .pushed)
            #expect(box.takeDrops() == count)
            #expect(box.intake.counts.notices == 0 && box.intake.counts.untoldDrops == 0)
        }
    }

    @Test("once closed it refuses and counts posts, and still takes what was accepted before")
    func closing() {
        let box = IntakeBox(capacity: 3)
        #expect(box.reserve(1) == .accepted && box.reserve(2) == .accepted)
        #expect(box.push(1) == .pushed)
        #expect(box.close())
        #expect(!box.close())
        #expect(box.reserve(3) == .closed && box.reserve(4) == .closed)
        #expect(box.intake.counts.refused == 2 && box.intake.counts.accepted == 2)
        #expect(box.push(2) == .pushed)
        #expect(box.takeAll() == [1, 2])
    }

    @Test("closing as long as nothing happens fails if something does: a post, a notice, a close")
    func closingIfStill() {
        let changes: [(IntakeBox) -> Void] = [
            { _ = $0.reserve(2) }, { _ = $0.reserveNotice() }, { _ = $0.close() },
        ]
        for change in changes {
            let box = IntakeBox(capacity: 3)
            _ = box.reserve(1)
            let before = box.intake.state
            change(box)
            #expect(!box.close(ifStill: before))
            // What the reader does changes nothing here.
            let now = box.intake.state
            box.intake.release(1)
            _ = box.takeAll()
            #expect(box.close(ifStill: now))
            #expect(box.intake.state.isClosed)
        }
    }

    @Test("it ends only when closed, with nothing reserved, pending or announced")
    func ending() {
        let box = IntakeBox(capacity: 1)
        #expect(!box.end())
        _ = (box.reserve(1), box.reserve(2), box.close())
        #expect(!box.end())
        #expect(box.push(1) == .pushed && box.takeAll() == [1])
        #expect(!box.end())
        box.intake.release(1)
        #expect(box.reserveNotice())
        #expect(!box.end())
        #expect(box.pushNotice() == .pushed && box.takeDrops() == 1)
        #expect(box.end())
        #expect(box.intake.state.hasEnded)
        #expect(!box.reserveNotice())
        #expect(box.reserve(3) == .closed)
    }

    @Test("shut hands over what is there; a report that is pushed later is refused, and counted")
    func shutting() {
        let box = IntakeBox(capacity: 3)
        _ = (box.reserve(1), box.reserve(2), box.push(2))
        #expect(box.shut() == [2])
        #expect(box.intake.state.isClosed && box.intake.state.hasEnded)
        #expect(box.push(1) == .refused)
        #expect(box.intake.counts.accepted == 2 && box.intake.counts.withdrawn == 1)
        #expect(box.shut() == [])
    }

    @Test("a notice that shut has forestalled is none any more, and its drops can be taken")
    func shuttingBeforeNotice() {
        let box = IntakeBox(capacity: 1)
        _ = (box.reserve(1), box.reserve(2))
        #expect(box.reserveNotice())
        _ = box.shut()
        #expect(box.pushNotice() == .refused)
        #expect(box.intake.counts.notices == 0 && box.intake.counts.withdrawn == 0)
        #expect(box.intake.takeDrops().count == 1)
        #expect(box.intake.counts.untoldDrops == 0)
    }

    @Test("a sleeping loop is woken by a report and by a notice, and roused once")
    func sleeping() {
        let box = IntakeBox(capacity: 1)
        #expect(box.sleep())
        _ = box.reserve(1)
        #expect(box.push(1) == .pushedToSleeper)
        #expect(!box.sleep())
        #expect(box.takeAll() == [1] && box.sleep())
        _ = (box.reserve(2), box.reserveNotice())
        #expect(box.pushNotice() == .pushedToSleeper)
        #expect(box.takeDrops() == 1 && box.sleep())
        #expect(box.rouse())
        #expect(!box.rouse())
    }
}
