import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Promises 13 and 14: the intake accepts as many reports as it has room for, and counts the others",
    .tags(.promise13, .promise14), .hangLimit)
struct BusIntakeTests {}

extension BusIntakeTests {
    @Test("exactly as many reports are accepted as there is room for", arguments: [1, 2, 3, 6, 7, 62, 63, 64, 1_000])
    func capacities(capacity: Int) {
        let box = IntakeBox(capacity: capacity)
        var accepted = 0
        // Each round begins at another slot of the ring.
        for room in [capacity, 1, capacity, capacity - 1, capacity] {
            box.release(accepted + room - capacity)
            let numbers = accepted..<(accepted + room)
            for number in numbers { expect(box.post(number), equals: .filled) }
            expectNil(box.reserve(-1).position)
            expect(box.takeAll(), equals: Array(numbers))
            accepted += room
        }
        expect(box.intake.drops.unreported, equals: 5)
    }

    @Test("close(ifStill:) fails after any change by a caller, whatever the reader does")
    func closing() {
        let changes: [(IntakeBox) -> Void] = [{ $0.post(2) }, { _ = $0.close() }]
        for change in changes {
            let box = IntakeBox(capacity: 3)
            box.post(1)
            let before = box.intake.state
            change(box)
            #expect(!box.close(ifStill: before))
            // The reader's steps don't affect the result.
            let now = box.intake.state
            box.intake.publishReleased(1)
            expect(box.take(), equals: 1)
            expect(box.close(ifStill: now), equals: !now.isClosed)
            #expect(box.intake.state.isClosed)
        }
    }

    @Test("a posting takes 56 bytes: with the state of its slot, it fills one cache line of 64 bytes")
    func layout() {
        expect(MemoryLayout<Posting>.size, equals: 56)
    }

    @Test("a posting stores scope, promise, and flood kind, alone or together", arguments: 0..<8)
    func parts(_ combination: Int) {
        let own = ScopeContext.Own("scope", ErrorHandler(), .innermostFirst, [:])
        let scope = combination & 1 == 0 ? nil : ScopeContext(own, in: nil, root: nil)
        let promise = combination & 2 == 0 ? nil : Promise<HandleOutcome>()
        let kind = combination & 4 == 0 ? nil : FloodKind(FloodKind.code(of: Numbered(7)), at: .init(), in: [])
        var posting = Posting(
            UnboxedError(Numbered(7)), at: .init(), scope: scope, extras: promise.map { Box(.init(promise: $0)) })
        if let kind { posting.limit(by: kind, at: .nanoseconds(7)) }
        #expect(posting.scope === scope)
        #expect(posting.promise === promise)
        expect(posting.floodKind, equals: kind)
        expect(posting.floodTime, equals: .nanoseconds(kind == nil ? posting.moment.sinceOrigin : 7))
    }

    @Test("a report's time is the continuous clock's, to the nanosecond, and it stores the given values")
    func moment() {
        for _ in 0..<1_000 {
            let before = ContinuousClock.now
            let moment = Moment()
            let after = ContinuousClock.now
            #expect(before <= moment.instant && moment.instant <= after)
            expect(Moment(moment.instant), equals: moment)
        }
        for offset in [.zero, .nanoseconds(1), .seconds(-86_400), .seconds(100 * 365 * 86_400)] as [Duration] {
            let instant = ContinuousClock.now.advanced(by: offset)
            let report = ErrorReport(error: Numbered(1), source: .init(), instant: instant)
            expect([report.instant, report.firstInstant], equals: [instant, instant])
            let firsts = [-1, 1].map { (seconds: Int) in
                ErrorReport(
                    error: Numbered(1), source: .init(), instant: instant, firstInstant: instant + .seconds(seconds))
            }
            expect(firsts.map(\.firstInstant), equals: [instant - .seconds(1), instant])
        }
    }
}
