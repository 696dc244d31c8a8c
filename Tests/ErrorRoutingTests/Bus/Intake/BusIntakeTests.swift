import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Behaviours 13 and 14: the intake accepts as many reports as there is room for, and counts the others",
    .tags(.behaviour13, .behaviour14))
struct BusIntakeTests {}

extension BusIntakeTests {
    @Test("a report counts as accepted from its reservation on, and is taken once its place is filled")
    func reserveThenFill() {
        let box = IntakeBox(capacity: 2)
        expect(box.reserve(1), equals: .accepted(0))
        expect(box.intake.accepted, equals: 1)
        expect(box.takeAll(), equals: [])
        expect(box.fill(0, with: 1), equals: .filled)
        expect(box.takeAll(), equals: [1])
        expect(box.intake.accepted, equals: 1)
    }

    @Test("reports are taken in the order of their reservations, in whatever order they are filled")
    func orderOfReservations() {
        let box = IntakeBox(capacity: 3)
        for number in 0..<3 { expect(box.reserve(number), equals: .accepted(number)) }
        box.fill(2, with: 2)
        box.fill(1, with: 1)
        expect(box.takeAll(), equals: [])
        box.fill(0, with: 0)
        expect(box.takeAll(), equals: [0, 1, 2])
    }

    @Test("exactly as many are accepted as there is room for", arguments: [1, 2, 63, 64, 65, 127, 128, 129, 1_000])
    func capacities(capacity: Int) {
        let box = IntakeBox(capacity: capacity)
        var accepted = 0
        // Each round begins at another place of its segment.
        for room in [capacity, 1, capacity, capacity - 1, capacity] {
            box.release(accepted + room - capacity)
            let numbers = accepted..<(accepted + room)
            for number in numbers { expect(box.post(number), equals: .filled) }
            expectNil(box.reserve(-1).place)
            expect(box.takeAll(), equals: Array(numbers))
            accepted += room
        }
        expect(box.intake.drops.untold, equals: 5)
    }

    @Test("what is taken takes room until it is released")
    func releasing() {
        let box = IntakeBox(capacity: 2)
        _ = (box.post(1), box.post(2))
        expect(box.takeAll(), equals: [1, 2])
        expect(box.reserve(3), equals: .full(makesNotice: true))
        box.releaseOne()
        expect(box.reserve(4), equals: .accepted(2))
        expect(box.reserve(5), equals: .full(makesNotice: false))
        box.intake.publishReleased(3)
        #expect(box.reserve(6) == .accepted(3) && box.reserve(7) == .accepted(4))
        expect(box.reserve(8), equals: .full(makesNotice: false))
        #expect(box.intake.accepted == 5 && box.intake.released == 3 && box.intake.drops.untold == 3)
    }

    @Test("once closed it refuses and counts posts, and still takes what was accepted before")
    func closing() {
        let box = IntakeBox(capacity: 3)
        #expect(box.reserve(1) == .accepted(0) && box.post(2) == .filled)
        #expect(box.close())
        #expect(!box.close())
        #expect(box.reserve(3) == .closed && box.reserve(4) == .closed)
        #expect(box.intake.refused == 2 && box.intake.accepted == 2)
        expect(box.fill(0, with: 1), equals: .filled)
        expect(box.takeAll(), equals: [1, 2])
    }

    @Test("close(ifStill:) fails if there was a post or a close since")
    func closingIfStill() {
        let changes: [(IntakeBox) -> Void] = [{ $0.post(2) }, { _ = $0.close() }]
        for change in changes {
            let box = IntakeBox(capacity: 3)
            box.post(1)
            let before = box.intake.state
            change(box)
            #expect(!box.close(ifStill: before))
            // What the reader does changes nothing here.
            let now = box.intake.state
            box.intake.publishReleased(1)
            expect(box.take(), equals: 1)
            #expect(box.close(ifStill: now))
            #expect(box.intake.state.isClosed)
        }
    }

    @Test("it ends only when closed, with nothing reserved or pending")
    func ending() {
        let box = IntakeBox(capacity: 1)
        #expect(!box.end())
        _ = (box.reserve(1), box.reserve(2), box.close())
        #expect(!box.end())
        #expect(box.fill(0, with: 1) == .filled && box.takeAll() == [1])
        #expect(!box.end())
        box.intake.publishReleased(1)
        #expect(box.end() && box.intake.state.hasEnded)
        expect(box.reserve(3), equals: .closed)
    }

    @Test("shut hands over what is there; a report that comes later to its place is refused, and counted")
    func shutting() {
        let box = IntakeBox(capacity: 3)
        #expect(box.reserve(1) == .accepted(0) && box.post(2) == .filled)
        expect(box.shut(), equals: [2])
        #expect(box.intake.state.isClosed && box.intake.state.hasEnded)
        expect(box.fill(0, with: 1), equals: .refused)
        #expect(box.intake.accepted == 2 && box.intake.reclaimed == 1)
        expect(box.shut(), equals: [])
    }

    @Test("a sleeping loop is woken by the report that it sleeps at, and roused once")
    func sleeping() {
        let box = IntakeBox(capacity: 2)
        #expect(box.sleep())
        #expect(box.reserve(1) == .accepted(0) && box.post(2) == .filled)
        expect(box.fill(0, with: 1), equals: .filledForSleeper)
        #expect(!box.sleep())
        #expect(box.takeAll() == [1, 2] && box.sleep())
        #expect(box.rouse())
        #expect(!box.rouse())
    }
}
