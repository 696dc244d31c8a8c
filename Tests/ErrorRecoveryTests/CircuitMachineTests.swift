import TestSupport
import Testing

@testable import ErrorRecovery

/// The machine alone, as a plain value, with whole seconds for moments.
///
/// [R6](../../Sources/ErrorRecovery/ErrorRecovery.docc/ErrorRecovery.md#what-is-promised).
@Suite("R6: a circuit's machine opens, refuses, tries and closes")
struct CircuitMachineTests {
    @Test("it opens at so many failures in the window, and not for those that are older")
    func opening() {
        var circuit = Circuit(opensAt: 3, within: 10, for: 5)
        #expect(circuit.fail(at: 0) == nil && circuit.fail(at: 5) == nil)
        // The first is as old as the window now.
        #expect(circuit.fail(at: 10) == nil)
        #expect(circuit.machine.state == .closed)
        #expect(circuit.fail(at: 14) == .open)
        #expect(circuit.machine.state == .open)
    }

    @Test("a threshold of 1 opens at once, and failures that one report stands for count each")
    func thresholds() {
        var one = Circuit(opensAt: 1, within: 10, for: 5)
        #expect(one.fail(at: 0) == .open)
        var many = Circuit(opensAt: 5, within: 10, for: 5)
        #expect(many.fail(count: 4, at: 0) == nil)
        #expect(many.fail(at: 1) == .open)
        var flood = Circuit(opensAt: 5, within: 10, for: 5)
        #expect(flood.fail(count: .max, at: 0) == .open)
    }

    @Test("it refuses for the pause and says what is left of it, then lets one through as a trial")
    func pause() {
        var circuit = Circuit(opensAt: 1, within: 10, for: 5)
        _ = circuit.fail(at: 2)
        #expect(circuit.admit(at: 2) == .refused(left: 5))
        #expect(circuit.admit(at: 6) == .refused(left: 1))
        #expect(circuit.machine.state == .open)
        #expect(circuit.admit(at: 7) == .tries(1, .halfOpen))
        #expect(circuit.admit(at: 7) == .refused(left: nil))
        #expect(circuit.admit(at: 700) == .refused(left: nil))
    }

    @Test("a trial's success closes it, with nothing counted; its failure opens it for another pause")
    func trials() {
        var circuit = Circuit(opensAt: 2, within: 100, for: 5)
        _ = circuit.fail(count: 2, at: 0)
        #expect(circuit.admit(at: 5) == .tries(1, .halfOpen))
        #expect(circuit.end(1, .failure(Timeout()), at: 8) == .open)
        #expect(circuit.admit(at: 12) == .refused(left: 1))
        #expect(circuit.admit(at: 13) == .tries(2, .halfOpen))
        #expect(circuit.end(2, .success, at: 14) == .closed)
        #expect(circuit.admit(at: 14) == .passes)
        #expect(circuit.fail(at: 15) == nil)
        #expect(circuit.fail(at: 16) == .open)
    }

    @Test("a trial that says nothing makes room for the next, and changes no state")
    func trialsThatSayNothing() {
        var circuit = Circuit(opensAt: 1, within: 10, for: 5)
        _ = circuit.fail(at: 0)
        #expect(circuit.admit(at: 5) == .tries(1, .halfOpen))
        #expect(circuit.end(1, .neither, at: 6) == nil)
        #expect(circuit.machine.state == .halfOpen)
        #expect(circuit.admit(at: 6) == .tries(2, nil))
        #expect(circuit.admit(at: 6) == .refused(left: nil))
    }

    @Test("failures of attempts that began before change nothing while it is open or half open")
    func stragglers() {
        var circuit = Circuit(opensAt: 1, within: 100, for: 5)
        _ = circuit.fail(at: 0)
        #expect(circuit.fail(at: 4) == nil)
        #expect(circuit.admit(at: 5) == .tries(1, .halfOpen))
        #expect(circuit.fail(at: 6) == nil && circuit.machine.state == .halfOpen)
        #expect(circuit.end(1, .success, at: 7) == .closed)
    }

    @Test("a pause of nothing lets a trial through at once")
    func noPause() {
        var circuit = Circuit(opensAt: 1, within: 10, for: 0)
        _ = circuit.fail(at: 3)
        #expect(circuit.admit(at: 3) == .tries(1, .halfOpen))
    }

    @Test("it does what a naive model does, over random operations")
    func model() {
        var generator = SplitMix64(seed: 7)
        for _ in 0..<300 {
            let limit = Int.random(in: 1...4, using: &generator)
            let (window, pause) = (Int.random(in: 1...8, using: &generator), Int.random(in: 0...6, using: &generator))
            var circuit = Circuit(opensAt: limit, within: window, for: pause)
            var naive = NaiveCircuit(limit: limit, window: window, pause: pause)
            var now = 0
            for _ in 0..<120 {
                now += Int.random(in: 0...2, using: &generator)
                switch Int.random(in: 0..<6, using: &generator) {
                case 0, 1:
                    #expect(circuit.admit(at: now) == naive.admit(at: now))
                case 2, 3:
                    let count = Int.random(in: 1...2, using: &generator)
                    #expect(circuit.fail(count: count, at: now) == naive.fail(count: count, at: now))
                default:
                    guard let trial = naive.trial else { continue }
                    let end = Int.random(in: 0..<3, using: &generator)
                    let ends: [CircuitMachine.TrialEnd] = [.success, .failure(Timeout()), .neither]
                    #expect(circuit.end(trial, ends[end], at: now) == naive.end(end, at: now))
                }
                #expect(circuit.machine.state == naive.state)
            }
        }
    }
}

/// The machine with whole seconds, and results that can be compared.
private struct Circuit {
    enum Answer: Equatable {
        case passes
        case tries(UInt64, CircuitChanged.State?)
        case refused(left: Int?)
    }

    private(set) var machine: CircuitMachine

    init(opensAt failures: Int, within window: Int, for pause: Int) {
        machine = CircuitMachine(opensAt: failures, within: .seconds(window), for: .seconds(pause))
    }

    mutating func admit(at now: Int) -> Answer {
        let (admission, change) = machine.admit(at: .seconds(now))
        switch admission {
        case .passes: return .passes
        case .tries(let trial): return .tries(trial, change?.state)
        case .refused(let left, _): return .refused(left: left.map { Int($0 / .seconds(1)) })
        }
    }

    mutating func fail(count: Int = 1, at now: Int) -> CircuitChanged.State? {
        machine.fail(Timeout(), count: count, at: .seconds(now))?.state
    }

    mutating func end(_ trial: UInt64, _ end: CircuitMachine.TrialEnd, at now: Int) -> CircuitChanged.State? {
        machine.end(trial, end, at: .seconds(now))?.state
    }
}

/// A circuit that keeps all failures since it closed, and counts anew each time which of them lie in the window.
private struct NaiveCircuit {
    let limit: Int
    let window: Int
    let pause: Int
    private(set) var state = CircuitChanged.State.closed
    private(set) var trial: UInt64?
    private var failures: [Int] = []
    private var opened = 0
    private var trials: UInt64 = 0

    init(limit: Int, window: Int, pause: Int) {
        self.limit = limit
        self.window = window
        self.pause = pause
    }

    mutating func admit(at now: Int) -> Circuit.Answer {
        if state == .closed { return .passes }
        if state == .open, now < opened + pause { return .refused(left: opened + pause - now) }
        if trial != nil { return .refused(left: nil) }
        let change: CircuitChanged.State? = state == .open ? .halfOpen : nil
        state = .halfOpen
        trials += 1
        trial = trials
        return .tries(trials, change)
    }

    mutating func fail(count: Int, at now: Int) -> CircuitChanged.State? {
        guard state == .closed else { return nil }
        for _ in 0..<count { failures.append(now) }
        guard failures.count(where: { now - $0 < window }) >= limit else { return nil }
        return open(at: now)
    }

    mutating func end(_ end: Int, at now: Int) -> CircuitChanged.State? {
        trial = nil
        if end == 0 {
            state = .closed
            return .closed
        }
        return end == 1 ? open(at: now) : nil
    }

    private mutating func open(at now: Int) -> CircuitChanged.State? {
        (state, opened, failures) = (.open, now, [])
        return .open
    }
}
