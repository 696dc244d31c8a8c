import TestSupport
import Testing

@testable import ErrorPresentation

@Suite("P2: of several places in a window, only one shows the alert", .tags(.presentation2), .hangLimit)
struct StageTests {}

extension StageTests {
    @Test("the innermost place shows the alert, which opens there only after the place below has closed it")
    func handover() {
        var stage = Stage()
        stage.show(7)
        expectNil(stage.front)
        stage.appear(1)
        expect([1, 2].map(stage.isOpen), equals: [true, false])
        stage.appear(2)
        expect([1, 2].map(stage.isOpen), equals: [false, false])
        // Only the place that must close the alert can confirm that.
        stage.close(2)
        expect([1, 2].map(stage.isOpen), equals: [false, false])
        stage.close(1)
        expect([1, 2].map(stage.isOpen), equals: [false, true])
        // A place that reappears stays below the places that were created after it.
        stage.appear(1)
        expect([1, 2].map(stage.isOpen), equals: [false, true])
        stage.disappear(2)
        expect([1, 2].map(stage.isOpen), equals: [true, false])
    }

    @Test("the next alert opens after the previous one is closed; an alert that the user didn't answer opens again")
    func next() {
        var stage = Stage()
        stage.appear(1)
        stage.show(7)
        stage.show(8)
        expect(stage.isOpen(in: 1), equals: false)
        stage.show(9)
        stage.close(1)
        expect(stage.isOpen(in: 1), equals: true)
        let turn = stage.turn
        // The place closed the alert although the alert must be open.
        stage.close(1)
        expect(stage.isOpen(in: 1), equals: false)
        stage.close(1)
        expect(stage.isOpen(in: 1), equals: true)
        expect(stage.turn, equals: turn + 3)
        stage.show(nil)
        stage.close(1)
        stage.close(1)
        expect(stage.isOpen(in: 1), equals: false)
    }

    @Test("an alert that opens and must close before the view is updated still changes the turn")
    func unseen() {
        var stage = Stage()
        stage.appear(1)
        let turn = stage.turn
        stage.show(7)
        stage.show(nil)
        stage.show(8)
        expect(stage.isOpen(in: 1), equals: false)
        #expect(stage.turn != turn)
        stage.close(1)
        expect(stage.isOpen(in: 1), equals: true)
    }

    @Test("the next place doesn't wait for a place that disappears while it closes its alert")
    func gone() {
        var stage = Stage()
        stage.appear(1)
        stage.show(7)
        stage.appear(2)
        stage.disappear(1)
        expect(stage.isOpen(in: 2), equals: true)
        stage.disappear(2)
        expect(stage.isOpen(in: 2), equals: false)
        stage.appear(3)
        expect(stage.isOpen(in: 3), equals: true)
    }
}

/// `ERROR_BUS_LONG=1` runs a hundred thousand programs.
@MainActor
@Suite(
    "P2: windows and sheets that open, close, and change in any order show each error once and lose none",
    .tags(.presentation2), .hangLimit)
struct ScreenProgramTests {}

extension ScreenProgramTests {
    @Test(
        "each window shows what a plain model predicts, and at the end every error was answered once",
        .hangLimit(minutes: 30))
    func programs() async {
        var answered = 0
        for seed in 0..<(isLong ? 100_000 : 1_000) as Range<UInt64> {
            let screens = Screens(seed: seed)
            for step in 0..<40 {
                let what = screens.step()
                if let fault = screens.fault {
                    Issue.record("seed \(seed), step \(step), \(what): \(fault)")
                    return
                }
            }
            if let fault = screens.end() {
                Issue.record("seed \(seed), at the end: \(fault)")
                return
            }
            answered += screens.answered.count
            // Other suites need the main actor too.
            await Task.yield()
        }
        #expect(answered > 3_000)
    }
}
