import TestSupport
import Testing

@testable import ErrorRecovery

/// The machine alone, as a plain value, with whole seconds for moments.
@Suite("R6: a circuit's machine opens, refuses, tries and closes", .tags(.recovery6))
struct CircuitMachineTests {}

extension CircuitMachineTests {
    @Test("it opens at so many failures in the window; each that one report stands for counts, and none that is older")
    func opening() {
        var circuit = Circuit(opensAt: 3, within: 10, openFor: 5)
        expectNil(circuit.fail(at: 0))
        expectNil(circuit.fail(at: 5))
        // The first is as old as the window now.
        expectNil(circuit.fail(at: 10))
        expect(circuit.machine.state, equals: .closed)
        expect(circuit.fail(at: 14), equals: .open)
        expect(circuit.machine.state, equals: .open)
        var many = Circuit(opensAt: 5, within: 10, openFor: 5)
        expect([4, 0, -3, 1].map { many.hear(count: $0, at: 1) }, equals: [nil, nil, nil, .open])
        var flood = Circuit(opensAt: 5, within: 10, openFor: 5)
        expectNil(flood.hear(at: 0))
        expect(flood.hear(count: .max, at: 0), equals: .open)
    }

    @Test("the failures of one report count as spread evenly between its first and its newest moment, however many")
    func spread() {
        // 60 ms apart, with milliseconds for seconds: no more than two lie in a window of 100 ms.
        var slow = Circuit(opensAt: 3, within: 100, openFor: 5)
        expectNil(slow.hear(count: 8, span: 7 * 60, at: 1_000))
        expect(slow.hear(at: 1_000), equals: .open)
        // Nine failures from before the circuit closed, and one after that.
        var recovered = Circuit(opensAt: 2, within: 100, openFor: 5)
        recovered.openAndClose(at: 50)
        expectNil(recovered.hear(count: 10, span: 9 * 10, at: 51))
        expect(recovered.hear(count: 10, sequence: 2, span: 9 * 10, at: 61), equals: .open)
        // A report takes no more steps than the circuit needs failures, wherever its failures lie.
        for span in [0, 1, 3_000_000_000] {
            var circuit = Circuit(opensAt: 1_000, within: 60, openFor: 5)
            expect(circuit.hear(count: .max, span: span, at: 0), equals: .open)
            circuit = Circuit(opensAt: 1_000, within: 60, openFor: 5)
            expectNil(circuit.hear(count: .max, age: 60, span: span, at: 0))
            circuit.openAndClose(at: 0)
            expectNil(circuit.hear(count: .max, span: span, at: 0))
        }
    }

    @Test("reports that stand for very many failures take few steps each, and count all of them")
    func merged() {
        let count = 60_000_000
        var circuit = Circuit(opensAt: 6 * count, within: 10_000, openFor: 5)
        // Each begins in the middle of the one before.
        for now in 1...5 { expectNil(circuit.hear(count: count, span: 2_000, at: 2_000 + now * 1_000)) }
        expectNil(circuit.hear(count: count - 1, span: 2_000, at: 8_000))
        expect(circuit.hear(at: 8_000), equals: .open)
        // A circuit that opens as late as can be.
        var last = Circuit(opensAt: .max, within: 60, openFor: 5)
        expectNil(last.hear(count: .max, span: 120, at: 0))
        expectNil(last.hear(count: .max / 3, span: 30, at: 0))
        expect(last.hear(count: .max, span: 60, at: 1), equals: .open)
        var all = Circuit(opensAt: .max, within: 60, openFor: 5)
        expectNil(all.hear(count: .max - 1, span: 59, at: 0))
        expect(all.hear(at: 0), equals: .open)
        // Few enough to be counted one by one.
        var exact = Circuit(opensAt: 100, within: 10, openFor: 5)
        expectNil(exact.hear(count: 1_001, span: 1_000, at: 1_000))
        expectNil(exact.hear(count: 89, at: 1_000))
        expect(exact.hear(at: 1_000), equals: .open)
    }

    @Test("a report counts once, for the moment of its posting, and not if that was before the circuit closed")
    func reports() {
        var circuit = Circuit(opensAt: 2, within: 10, openFor: 5, countsReports: true)
        // What is thrown does not count.
        expectNil(circuit.fail(at: 20))
        expectNil(circuit.fail(at: 20))
        expectNil(circuit.hear(sequence: 1, age: 9, at: 20))
        expectNil(circuit.hear(sequence: 1, age: 9, at: 20))
        // The first is as old as the window now, and so is another that comes late.
        expectNil(circuit.hear(sequence: 2, age: 0, at: 21))
        expectNil(circuit.hear(sequence: 3, age: 10, at: 21))
        expect(circuit.hear(sequence: 4, age: 9, at: 21), equals: .open)
        expect(circuit.admit(at: 26), equals: .tries(1, .halfOpen))
        expect(circuit.end(1, .success, at: 26), equals: .closed)
        expectNil(circuit.hear(count: 9, sequence: 5, age: 1, at: 26))
        expectNil(circuit.hear(count: 9, sequence: 6, age: 0, at: 26))
        expect(circuit.hear(count: 9, sequence: 7, age: 0, at: 27), equals: .open)
    }

    @Test("a clock that is put back costs one more pause, and makes no failure younger than it")
    func putBack() {
        var open = Circuit(opensAt: 1, within: 10, openFor: 5)
        _ = open.fail(at: 1_000)
        expect(
            [4, 8, 9].map { open.admit(at: $0) }, equals: [.refused(left: 5), .refused(left: 1), .tries(1, .halfOpen)])
        var closed = Circuit(opensAt: 3, within: 10, openFor: 5)
        expect([1_000, 0, 10, 11, 12].map { closed.fail(at: $0) }, equals: [nil, nil, nil, nil, .open])
    }

    @Test("it refuses for the pause, then lets one through: its success closes it, its failure opens it anew")
    func trials() {
        var circuit = Circuit(opensAt: 2, within: 100, openFor: 5)
        expect([circuit.fail(at: 0), circuit.fail(at: 0)], equals: [nil, .open])
        expect([0, 4].map { circuit.admit(at: $0) }, equals: [.refused(left: 5), .refused(left: 1)])
        expect(circuit.machine.state, equals: .open)
        expect(circuit.admit(at: 5), equals: .tries(1, .halfOpen))
        expect([5, 700].map { circuit.admit(at: $0) }, equals: [.refused(left: nil), .refused(left: nil)])
        expect(circuit.end(1, .failure(.init(error: Timeout(), retryAfter: nil)), at: 8), equals: .open)
        expect(circuit.admit(at: 12), equals: .refused(left: 1))
        expect(circuit.admit(at: 13), equals: .tries(2, .halfOpen))
        expect(circuit.end(2, .success, at: 14), equals: .closed)
        expect(circuit.admit(at: 14), equals: .passes(era: 2))
        // Of attempts that began before.
        expect([circuit.fail(in: 1, at: 14), circuit.fail(in: 1, at: 14)], equals: [nil, nil])
        expect([circuit.fail(at: 15), circuit.fail(at: 16)], equals: [nil, .open])
    }

    @Test("it does what a naive model does, over random operations, with a clock that jumps")
    func model() {
        var generator = SplitMix64(seed: 7)
        for _ in 0..<(isLong ? 30_000 : 300) {
            func random(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }
            let (limit, window, pause) = (random(1...4), random(1...8), random(0...6))
            let countsReports = random(0...1) == 0
            var circuit = Circuit(opensAt: limit, within: window, openFor: pause, countsReports: countsReports)
            var naive = NaiveCircuit(limit: limit, window: window, pause: pause)
            naive.listens = countsReports
            // By the circuit's clock, which may be put anywhere, and by the clock of the reports.
            var (now, real) = (0, 0)
            for _ in 0..<120 {
                let step = random(0...2)
                (now, real) = (now + step, real + step)
                if random(0...9) == 0 { now += random(-12...12) }
                switch random(0...9) {
                case 0, 1, 2:
                    let trial = [nil, naive.trial, 1][random(0...2)]
                    expect(circuit.admit(within: trial, at: now), equals: naive.admit(within: trial, at: now))
                case 3, 4:
                    let (era, hint) = (random(max(1, naive.era - 1)...naive.era), [nil, random(0...9)][random(0...1)])
                    expect(circuit.fail(hint: hint, in: era, at: now), equals: naive.fail(hint, in: era, at: now))
                case 5, 6:
                    let (count, sequence) = (random(0...6), random(0...9))
                    let posted = sequence == 0 ? real - random(0...9) : min(real, real / 10 * 10 + sequence)
                    let first = posted - (sequence == 0 ? random(0...20) : sequence * 2)
                    expect(
                        circuit.hear(count: count, sequence: sequence, first...posted, at: now, real),
                        equals: naive.hear(count, sequence, nil, first, posted, at: now, real))
                default:
                    guard let trial = naive.trial else { continue }
                    let (end, hint) = (random(0...2), [nil, random(0...9)][random(0...1)])
                    let ends: [NaiveCircuit.End] = [.success, .failure(hint: hint), .neither]
                    expect(circuit.end(trial, end, hint, at: now, real), equals: naive.end(ends[end], at: now, real))
                }
                expect(circuit.machine.state, equals: naive.state)
                expect(circuit.machine.closedEra, equals: (naive.state == .closed ? naive.era : nil))
            }
        }
    }
}

/// The machine with whole seconds, and results that can be compared.
private struct Circuit {
    private static let beginning = ContinuousClock.now

    private(set) var machine: CircuitMachine

    init(opensAt failures: Int, within window: Int, openFor pause: Int, countsReports: Bool = false) {
        machine = CircuitMachine(
            opensAt: failures, within: .seconds(window), openFor: .seconds(pause), countsReports: countsReports)
    }

    mutating func admit(within trial: UInt64? = nil, at now: Int) -> NaiveCircuit.Answer {
        let (admission, change) = machine.admit(within: trial, at: .seconds(now))
        switch admission {
        case .passes(let era): return .passes(era: era)
        case .tries(let trial): return .tries(trial, change?.state)
        case .isPartOfTrial: return .isPartOfTrial
        case .refused(let left, _): return .refused(left: left.map { Int($0 / .seconds(1)) })
        }
    }

    mutating func fail(hint: Int? = nil, in era: Int? = nil, at now: Int) -> CircuitChanged.State? {
        let era = era ?? machine.closedEra ?? 0
        return machine.fail(Self.failure(hint), in: era, at: .seconds(now))?.state
    }

    /// - Parameters:
    ///   - sequence: The report's number; 0 for a report that is not known.
    ///   - posted: When its failures were posted, by the clock of `real`.
    mutating func hear(
        count: Int = 1, sequence: Int = 0, _ posted: ClosedRange<Int>, at now: Int, _ real: Int
    ) -> CircuitChanged.State? {
        let (first, newest) = (
            Self.beginning + .seconds(posted.lowerBound), Self.beginning + .seconds(posted.upperBound)
        )
        let report = FailureWindow.Report(bus: nil, sequence: UInt64(sequence), instant: newest)
        return machine.hear(
            Self.failure(nil), count: count, posted: first...newest, sequence == 0 ? nil : report, at: .seconds(now),
            Self.beginning + .seconds(real))?.state
    }

    /// The same by one clock; `age` is the newest failure's, and `span` how much older the oldest one is.
    mutating func hear(
        count: Int = 1, sequence: Int = 0, age: Int = 0, span: Int = 0, at now: Int
    ) -> CircuitChanged.State? {
        hear(count: count, sequence: sequence, now - age - span...now - age, at: now, now)
    }

    /// Opens the circuit by failures that are thrown, and closes it.
    mutating func openAndClose(at now: Int) {
        while fail(at: now - 5) != .open {}
        if case .tries(let trial, _) = admit(at: now) { _ = end(trial, .success, at: now) }
    }

    mutating func end(_ trial: UInt64, _ end: CircuitMachine.TrialEnd, at now: Int) -> CircuitChanged.State? {
        machine.end(trial, end, at: .seconds(now), Self.beginning + .seconds(now))?.state
    }

    mutating func end(_ trial: UInt64, _ end: Int, _ hint: Int?, at now: Int, _ real: Int) -> CircuitChanged.State? {
        let ends: [CircuitMachine.TrialEnd] = [.success, .failure(Self.failure(hint)), .neither]
        return machine.end(trial, ends[end], at: .seconds(now), Self.beginning + .seconds(real))?.state
    }

    private static func failure(_ hint: Int?) -> CircuitMachine.Failure {
        .init(error: Timeout(), retryAfter: hint.map { .seconds($0) })
    }
}
