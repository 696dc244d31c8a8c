import TestSupport
import Testing

@testable import ErrorPresentation

@Suite(
    "P1: a loadable is one state, and a loader's machine visits its states in order", .tags(.presentation1), .hangLimit)
struct LoaderMachineTests {}

extension LoaderMachineTests {
    @Test("a loadable has a value, an error, or neither; it is Equatable and Sendable if its content is")
    func loadable() {
        let states: [LoadState<Int, Plain>] = [.idle, .loading, .failed(Plain("no")), .loaded(1)]
        expect(states.map(\.value), equals: [nil, nil, nil, 1])
        expect(states.map(\.error), equals: [nil, nil, Plain("no"), nil])
        expect(states.map(\.isLoading), equals: [false, true, false, false])
        #expect(states[2] != .failed(Plain("other")))
        #expect(states[3] != .loaded(2))
        func check(_: (some Sendable).Type) {}
        check(LoadState<[String], any Error>.self)
    }

    @Test("map changes a loaded value, keeps the other states, and throws its closure's error")
    func map() throws {
        let states: [LoadState<Int, Plain>] = [.idle, .loading, .failed(Plain("no")), .loaded(1)]
        expect(states.map { $0.map { "\($0)" } }, equals: [.idle, .loading, .failed(Plain("no")), .loaded("1")])
        func fail(_: Int) throws(Silent) -> Int { throw .secretCase(code: 1) }
        #expect(throws: Silent.secretCase(code: 1)) { try states[3].map(fail) }
        expect(try states[0].map(fail), equals: .idle)
    }

    @Test("the order of states is exact, failureCount counts consecutive failures, and latest survives them")
    func order() {
        let machine = HeldLoader()
        var (states, others) = ([machine.state], [""])
        func note() {
            states.append(machine.state)
            others.append("\(machine.latest ?? 0), \(machine.failureCount)")
        }
        for end in [.success(1), .failure(Plain("no")), .failure(Plain("no")), nil, .success(2)]
            as [HeldLoader.End?]
        {
            let load = machine.begin()
            note()
            machine.end(load, end)
            note()
        }
        machine.reset()
        note()
        expect(
            states,
            equals: [
                .idle, .loading, .loaded(1), .loading, .failed(Plain("no")), .loading, .failed(Plain("no")), .loading,
                .failed(Plain("no")), .loading, .loaded(2), .idle,
            ])
        expect(
            others,
            equals: ["", "0, 0", "1, 0", "1, 0", "1, 1", "1, 1", "1, 2", "1, 2", "1, 2", "1, 2", "2, 0", "0, 0"])
    }

    @Test("a result overtakes earlier loads, and if the newest load is cancelled, the load before it decides")
    func cancelledAfterAnAnswer() {
        let machine = HeldLoader()
        let loads = (machine.begin(), machine.begin(), machine.begin())
        expect(machine.end(loads.1, .success(2)), equals: false)
        expect(machine.state, equals: .loading)
        // The state is as if the third load had never begun: the second load is the newest, and it has a result.
        expect(machine.end(loads.2, nil), equals: true)
        expect(machine.end(loads.0, .success(1)), equals: false)
        expect(machine.state, equals: .loaded(2))
        expect(machine.latest, equals: 2)
    }

    @Test("cancelling restores the state before all loads, or sets the state of the newest result")
    func cancellation() {
        let machine = HeldLoader()
        machine.end(machine.begin(), .success(1))
        let loads = (machine.begin(), machine.begin())
        machine.cancel()
        expect(machine.state, equals: .loaded(1))
        expect(machine.end(loads.1, .success(2)), equals: false)
        let others = (machine.begin(), machine.begin())
        machine.end(others.0, .success(3))
        machine.cancel()
        expect(machine.state, equals: .loaded(3))
        machine.cancel()
        expect(machine.state, equals: .loaded(3))
    }

    @Test("it agrees with a naive model for any events in any order", arguments: 0..<200)
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
                // The number can belong to a load that has already ended or never began.
                let newest = UInt64(model.loads.count)
                let number = UInt64.random(in: (newest > 6 ? newest - 6 : 0)...newest, using: &random)
                let end: HeldLoader.End? =
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: .success(step)
                    case 1: .failure(Plain("\(step)"))
                    default: nil
                    }
                let wasLoading = machine.state.isLoading
                let isDecided = machine.end(number, end)
                model.end(number, end)
                expect(isDecided, equals: wasLoading && !model.state.isLoading, "seed \(seed), step \(step)")
            default:
                switch Int.random(in: 0..<10, using: &random) {
                case 0...1:
                    machine.reset()
                    model.reset()
                case 2...3:
                    machine.cancel()
                    model.cancel()
                default: break
                }
            }
            expect(machine.state, equals: model.state, "seed \(seed), step \(step)")
            expect(machine.latest, equals: model.latest, "seed \(seed), step \(step)")
            expect(machine.failureCount, equals: model.failureCount, "seed \(seed), step \(step)")
        }
    }
}

/// A machine that `#expect` can change.
private final class HeldLoader {
    typealias End = Result<Int, Plain>

    private var machine = LoaderMachine<Int, Plain>()

    var state: LoadState<Int, Plain> { machine.visible.state }
    var latest: Int? { machine.visible.latest }
    var failureCount: Int { machine.visible.failureCount }

    func begin() -> UInt64 { machine.begin() }
    /// Returns whether the state was set.
    @discardableResult func end(_ number: UInt64, _ end: End?) -> Bool {
        let changes = machine.visible.changes
        machine.end(number, end)
        return machine.visible.changes > changes
    }
    func reset() { machine.reset() }
    func cancel() { machine.cancel() }
}
