import ErrorRouting
import RecordingSupport
import TestSupport
import Testing

@testable import ErrorRecording

@Suite(
    "E1: a time is the wall clock's time, computed from one reading of both clocks and the instant", .tags(.recording1),
    .hangLimit)
struct WallClockTests {
    private let start = ContinuousClock.now

    /// The reading of both clocks some seconds after the start, with the wall clock ahead by some microseconds.
    private func reading(after seconds: Int, ahead: Int64 = 0) -> WallClock.Reading {
        .init(time: 1_000_000 * Int64(100 + seconds) + ahead, instant: start + .seconds(seconds))
    }
}

extension WallClockTests {
    @Test func `if a wall clock isn't set, or is set by no more than the tolerance, no time changes`() {
        var clock = WallClock(reading(after: 0))
        for ahead in [0, 3, -WallClock.tolerance, WallClock.tolerance] {
            clock.check(reading(after: 9, ahead: ahead))
            expect(clock.time(of: start), equals: 100_000_000)
            expect(clock.time(of: start + .seconds(9) + .nanoseconds(1_999)), equals: 109_000_001)
        }
    }

    @Test(arguments: [-3_600_000_000, -WallClock.tolerance - 1, WallClock.tolerance + 1, 3_600_000_000])
    func `if a wall clock is set, earlier instants keep their times, and later ones have the new time`(
        ahead: Int64
    ) {
        var clock = WallClock(reading(after: 0))
        clock.check(reading(after: 8))
        clock.check(reading(after: 9, ahead: ahead))
        for _ in 0..<2 {
            for early in [0, 8] {
                expect(clock.time(of: start + .seconds(early)), equals: Int64(100 + early) * 1_000_000)
            }
            // The clock was set at some time after the previous reading.
            for late in [8.5, 9, 20] {
                expect(clock.time(of: start + .seconds(late)), equals: Int64((100 + late) * 1_000_000) + ahead)
            }
            // One change is not counted twice.
            clock.check(reading(after: 30, ahead: ahead))
        }
        // An older reading from another thread has no effect.
        clock.check(reading(after: 29))
        clock.check(reading(after: 31, ahead: 0))
        expect(clock.time(of: start + .seconds(29)), equals: 129_000_000 + ahead)
        expect(clock.time(of: start + .seconds(31)), equals: 131_000_000)
    }

    @Test func `a clock that is set repeatedly needs bounded memory, and the last times are right`() {
        var clock = WallClock(reading(after: 0))
        for second in 1...1_000 { clock.check(reading(after: second, ahead: Int64(second) * 1_000_000)) }
        for second in [1_000, 999, 990] {
            expect(clock.time(of: start + .seconds(second)), equals: Int64(100 + 2 * second) * 1_000_000)
        }
    }

    @Test func `an instant that no clock has read has a time like any other instant`() {
        let clock = WallClock(.now)
        for hours in [-1, 1_000_000, -1_000_000] {
            let report = ErrorReport(error: Order.late, source: .init(), instant: start + .seconds(3_600) * hours)
            let text = Timestamp.text(ofMicroseconds: clock.time(of: report.instant))
            #expect(text.utf8.count == "2026-05-31T16:05:09.125000Z".utf8.count && text.hasSuffix("Z"), "\(text)")
        }
        for seconds in [Int64.min, .max] {
            let report = ErrorReport(error: Order.late, source: .init(), instant: start + .seconds(seconds))
            #expect(Timestamp.text(ofMicroseconds: clock.time(of: report.instant)).utf8.count == 27)
        }
    }
}
