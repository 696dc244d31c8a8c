import TestSupport
import Testing

@testable import ErrorPresentation

@Suite("P1: a loader's machine goes through its states in an exact order", .tags(.presentation1))
struct LoaderMachineTests {}

extension LoaderMachineTests {
    @Test("the order of states is exact: idle, loading, failed, loading, loaded, and back to idle")
    func order() {
        let machine = HeldLoader()
        var states = [machine.state]
        func note() { states.append(machine.state) }
        let first = machine.begin()
        note()
        machine.end(first, .failure(Plain("no")))
        note()
        let second = machine.begin()
        note()
        machine.end(second, .success(2))
        note()
        machine.reset()
        note()
        expect(states, equals: [.idle, .loading, .failed(Plain("no")), .loading, .loaded(2), .idle])
    }

    @Test("failureCount counts failures in a row; latest survives them, and a reload")
    func counts() {
        let machine = HeldLoader()
        machine.end(machine.begin(), .success(1))
        for count in 1...3 {
            let load = machine.begin()
            #expect(machine.latest == 1 && machine.state.isLoading)
            machine.end(load, .failure(Plain("no")))
            #expect(machine.failureCount == count && machine.latest == 1)
        }
        machine.end(machine.begin(), .cancelled)
        expect(machine.failureCount, equals: 3)
        machine.end(machine.begin(), .success(2))
        #expect(machine.failureCount == 0 && machine.latest == 2)
    }

    @Test("an answer that a later load has overtaken is ignored, before the later one's and after it")
    func overtaken() {
        let machine = HeldLoader()
        let (first, second, third) = (machine.begin(), machine.begin(), machine.begin())
        #expect(!machine.end(first, .success(1)))
        #expect(machine.state == .loading && machine.latest == nil)
        #expect(machine.end(third, .success(3)))
        #expect(!machine.end(second, .failure(Plain("late"))))
        #expect(machine.state == .loaded(3) && machine.failureCount == 0)
    }

    @Test("a cancelled load returns to the state before it, from every state")
    func cancelled() {
        let machine = HeldLoader()
        func cancelOne() { machine.end(machine.begin(), .cancelled) }
        cancelOne()
        expect(machine.state, equals: .idle)
        machine.end(machine.begin(), .failure(Plain("no")))
        cancelOne()
        expect(machine.state, equals: .failed(Plain("no")))
        machine.end(machine.begin(), .success(1))
        cancelOne()
        expect(machine.state, equals: .loaded(1))
    }

    @Test("where the newest of several is cancelled, the one before decides; where all are, the state before them all")
    func cancelledWhileOthersRun() {
        let machine = HeldLoader()
        machine.end(machine.begin(), .success(0))
        let (first, second) = (machine.begin(), machine.begin())
        machine.end(second, .cancelled)
        expect(machine.state, equals: .loading)
        machine.end(first, .success(1))
        expect(machine.state, equals: .loaded(1))
        let (third, fourth) = (machine.begin(), machine.begin())
        machine.end(third, .cancelled)
        expect(machine.state, equals: .loading)
        machine.end(fourth, .cancelled)
        expect(machine.state, equals: .loaded(1))
    }

    @Test("an answer overtakes what began before it, also where the newest load is cancelled")
    func cancelledAfterAnAnswer() {
        let machine = HeldLoader()
        let (first, second, third) = (machine.begin(), machine.begin(), machine.begin())
        #expect(!machine.end(second, .success(2)))
        expect(machine.state, equals: .loading)
        // As if the third had never begun: the second is the newest, and has answered.
        #expect(machine.end(third, .cancelled))
        #expect(machine.state == .loaded(2) && machine.latest == 2)
        #expect(!machine.end(first, .success(1)))
        expect(machine.state, equals: .loaded(2))
        let (fourth, fifth) = (machine.begin(), machine.begin())
        machine.end(fourth, .failure(Plain("no")))
        machine.end(fifth, .cancelled)
        #expect(machine.state == .failed(Plain("no")) && machine.failureCount == 1)
    }

    @Test("reset forgets latest, and what is under way comes too late")
    func reset() {
        let machine = HeldLoader()
        machine.end(machine.begin(), .success(1))
        let load = machine.begin()
        machine.reset()
        #expect(machine.state == .idle && machine.latest == nil && machine.failureCount == 0)
        #expect(!machine.end(load, .success(2)))
        let later = machine.begin()
        #expect(!machine.end(load, .success(2)))
        machine.end(later, .cancelled)
        expect(machine.state, equals: .idle)
    }

    @Test("whatever happens in whatever order, it is as a naive model has it", arguments: 0..<200)
    func model(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let machine = HeldLoader()
        var model = NaiveLoader()
        for step in 0..<200 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0...2:
                let number = model.begin()
                expect(machine.begin(), equals: number)
            case 3...6:
                // Also one that has ended already, or never began.
                let newest = UInt64(model.loads.count)
                let number = UInt64.random(in: (newest > 6 ? newest - 6 : 0)...newest, using: &random)
                let end: LoaderMachine<Int, Plain>.End =
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: .success(step)
                    case 1: .failure(Plain("\(step)"))
                    default: .cancelled
                    }
                machine.end(number, end)
                model.end(number, end)
            default:
                if Int.random(in: 0..<5, using: &random) == 0 {
                    machine.reset()
                    model.reset()
                }
            }
            expect(machine.state, equals: model.state, "seed \(seed), step \(step)")
            #expect(machine.latest == model.latest && machine.failureCount == model.failureCount)
        }
    }
}

/// A machine that `#expect` may change.
private final class HeldLoader {
    private var machine = LoaderMachine<Int, Plain>()

    var state: Loadable<Int, Plain> { machine.visible.state }
    var latest: Int? { machine.visible.latest }
    var failureCount: Int { machine.visible.failureCount }

    func begin() -> UInt64 { machine.begin() }
    @discardableResult func end(_ number: UInt64, _ end: LoaderMachine<Int, Plain>.End) -> Bool {
        machine.end(number, end)
    }
    func reset() { machine.reset() }
}
