import ErrorRouting
import TestSupport
import Testing

@testable import ErrorRecovery

/// Tests the machine alone, as a plain value, with times in whole seconds.
@Suite("R6: a circuit's machine opens, refuses, admits trial calls, and closes", .tags(.recovery6), .hangLimit)
struct CircuitMachineTests {}

extension CircuitMachineTests {
    @Test("it opens when enough calls ended within the window and enough of them failed, whichever call ends last")
    func opening() {
        var circuit = Circuit(failureRatio: 0.5, minimumCalls: 4, window: 10, openPeriod: 5)
        expect([circuit.fail(at: 0), circuit.fail(at: 0), circuit.fail(at: 0)], equals: [nil, nil, nil])
        expect(circuit.machine.state, equals: .closed)
        expect(circuit.succeed(at: 0), equals: .open)
        expect(circuit.machine.state, equals: .open)
        // Too small a share of the calls failed, however many calls there are.
        var busy = Circuit(failureRatio: 0.5, minimumCalls: 10, window: 10, openPeriod: 5)
        for _ in 0..<10_000 {
            expect([busy.succeed(at: 0), busy.succeed(at: 0), busy.fail(at: 0)], equals: [nil, nil, nil])
        }
        for _ in 0..<9_999 { expectNil(busy.fail(at: 0)) }
        expect(busy.fail(at: 0), equals: .open)
        // Seven failures of a hundred calls open the circuit, although 0.07 times 100 is more than 7.
        var exact = Circuit(failureRatio: 0.07, minimumCalls: 100, window: 10, openPeriod: 5)
        for _ in 0..<6 { expectNil(exact.fail(at: 0)) }
        for _ in 0..<93 { expectNil(exact.succeed(at: 0)) }
        expect(exact.fail(at: 0), equals: .open)
    }

    @Test("calls that are as old as the window no longer count, failed or successful")
    func window() {
        var failing = Circuit(failureRatio: 1, minimumCalls: 3, window: 10, openPeriod: 5)
        expect([0, 5, 10].map { failing.fail(at: $0) }, equals: [nil, nil, nil])
        expect(failing.fail(at: 14), equals: .open)
        var recovering = Circuit(failureRatio: 0.5, minimumCalls: 2, window: 10, openPeriod: 5)
        for _ in 0..<1_000 { expectNil(recovering.succeed(at: 0)) }
        expect([recovering.fail(at: 9), recovering.fail(at: 9)], equals: [nil, nil])
        // The successes no longer count.
        expect(recovering.succeed(at: 10), equals: .open)
        // Test windows that are too short for slots, and clocks that jump as far as possible.
        var short = Circuit(within: Duration(attoseconds: 1))
        expect([short.fail(at: 0), short.fail(at: 0)], equals: [nil, .open])
        var wide = Circuit(within: Duration(attoseconds: 10))
        expect([Int.min, .max, .min].map { wide.fail(at: $0) }, equals: [nil, nil, .open])
    }

    @Test("a call with an error that doesn't count hasn't failed; refusals and cancellations don't count at all")
    func otherEnds() {
        var circuit = Circuit(failureRatio: 0.5, minimumCalls: 3, window: 10, openPeriod: 5)
        for end in [CircuitMachine.End.refusal, .cancellation] {
            for _ in 0..<9 { expectNil(circuit.end(end, at: 0)) }
        }
        expect(
            [circuit.end(.otherError, at: 0), circuit.fail(at: 0), circuit.end(.otherError, at: 0)],
            equals: [nil, nil, nil])
        expect(circuit.fail(at: 0), equals: .open)
    }

    @Test("while the window has no failures, successes that are counted late belong to the slot in which they ended")
    func healthySlots() {
        var circuit = Circuit(failureRatio: 0.5, minimumCalls: 2, window: 10, openPeriod: 5)
        expect(circuit.machine.healthySlot, equals: 0)
        expectNil(circuit.succeed(at: 3))
        expect(circuit.machine.healthySlot, equals: 3)
        circuit.machine.countSuccesses(3)
        expect([circuit.fail(at: 12), circuit.fail(at: 12), circuit.fail(at: 12)], equals: [nil, nil, nil])
        expectNil(circuit.machine.healthySlot)
        expect(circuit.succeed(at: 13), equals: .open)
        expectNil(circuit.machine.healthySlot)
        circuit.machine.countSuccesses(99)
        expect(circuit.admit(at: 18), equals: .tries(1, .halfOpen))
        expect(circuit.endTrial(1, .success, at: 18), equals: .closed)
        expect([circuit.fail(at: 18), circuit.fail(at: 18)], equals: [nil, .open])
    }

    @Test("a clock that is set back costs at most one more open period, and doesn't change any call's age")
    func clockSetBack() {
        var open = Circuit(failureRatio: 1, minimumCalls: 1, window: 10, openPeriod: 5)
        _ = open.fail(at: 1_000)
        expect(
            [4, 8, 9].map { open.admit(at: $0) }, equals: [.refused(left: 5), .refused(left: 1), .tries(1, .halfOpen)])
        var closed = Circuit(failureRatio: 1, minimumCalls: 3, window: 10, openPeriod: 5)
        expect([1_000, 0, 10, 11, 12].map { closed.fail(at: $0) }, equals: [nil, nil, nil, nil, .open])
    }

    @Test("after the open period it admits one call, whose success closes the circuit and whose failure opens it")
    func trials() {
        var circuit = Circuit(failureRatio: 1, minimumCalls: 2, window: 100, openPeriod: 5)
        expect([circuit.fail(at: 0), circuit.fail(at: 0)], equals: [nil, .open])
        expect([0, 4].map { circuit.admit(at: $0) }, equals: [.refused(left: 5), .refused(left: 1)])
        expect(circuit.machine.state, equals: .open)
        expect(circuit.admit(at: 5), equals: .tries(1, .halfOpen))
        expect([5, 700].map { circuit.admit(at: $0) }, equals: [.refused(left: nil), .refused(left: nil)])
        expect(circuit.endTrial(1, .failure(.init(error: Timeout(), retryAfter: nil)), at: 8), equals: .open)
        expect(circuit.admit(at: 12), equals: .refused(left: 1))
        expect(circuit.admit(at: 13), equals: .tries(2, .halfOpen))
        expectNil(circuit.endTrial(2, .otherError, at: 13))
        expect(circuit.admit(at: 13), equals: .tries(3, nil))
        expect(circuit.endTrial(3, .success, at: 14), equals: .closed)
        expect(circuit.admit(at: 14), equals: .passes(era: 2))
        // These calls began before the circuit opened.
        expect([circuit.fail(in: 1, at: 14), circuit.fail(in: 1, at: 14)], equals: [nil, nil])
        expect([circuit.fail(at: 15), circuit.fail(at: 16)], equals: [nil, .open])
    }

    @Test("a cancelled trial call begins another open period, which keeps the rest of the failure's hint")
    func cancelledTrials() {
        var circuit = Circuit(failureRatio: 1, minimumCalls: 1, window: 100, openPeriod: 5)
        expect(circuit.fail(hint: 9, at: 0), equals: .open)
        expect(circuit.admit(at: 5), equals: .tries(1, .halfOpen))
        expect(circuit.endTrial(1, .cancellation, at: 7), equals: .open)
        expect(
            [7, 8, 11].map { circuit.admit(at: $0) }, equals: [.refused(left: 5), .refused(left: 4), .refused(left: 1)])
        expect(circuit.admit(at: 12), equals: .tries(2, .halfOpen))
    }

    @Test("isolated, it refuses every call until it is closed by hand, and calls under way don't count")
    func byHand() {
        var circuit = Circuit(failureRatio: 1, minimumCalls: 2, window: 100, openPeriod: 5)
        expect([circuit.fail(at: 0), circuit.fail(at: 3)], equals: [nil, .open])
        expect(circuit.admit(at: 8), equals: .tries(1, .halfOpen))
        expect([circuit.isolate(), circuit.isolate()], equals: [.isolated, nil])
        expectNil(circuit.endTrial(1, .success, at: 8))
        expect(circuit.machine.state, equals: .isolated)
        expect(circuit.admit(at: 1_000_000), equals: .refused(left: nil))
        expect(circuit.admit(within: 1, at: 8), equals: .refused(left: nil))
        expect([circuit.close(), circuit.close()], equals: [.closed, nil])
        expect([circuit.fail(in: 2, at: 9), circuit.fail(in: 2, at: 9)], equals: [nil, nil])
        // Earlier calls no longer count.
        expectNil(circuit.fail(at: 9))
        expectNil(circuit.close())
        expectNil(circuit.fail(at: 9))
        expect(circuit.fail(at: 9), equals: .open)
        expect(circuit.admit(at: 14), equals: .tries(2, .halfOpen))
        expect(circuit.close(), equals: .closed)
        expectNil(circuit.endTrial(2, .failure(.init(error: Timeout(), retryAfter: nil)), at: 14))
        expect(circuit.machine.state, equals: .closed)
    }

    @Test("each open period has its own length, which differs at most by the jitter's share, however the period began")
    func jitter() {
        typealias Begin = (inout CircuitMachine, inout SplitMix64) -> CircuitMachine.Change
        let failure = CircuitMachine.Failure(error: Timeout(), retryAfter: nil)
        let begins: [Begin] = [
            { $0.end(.failure(failure), in: 1, at: .zero, using: &$1) }
        ]
        // A trial call begins when the first open period is over.
        let trials = [CircuitMachine.End.failure(failure), .cancellation].map { end -> Begin in
            { machine, generator in
                _ = machine.end(.failure(failure), in: 1, at: .longest * -4, using: &generator)
                _ = machine.admit(at: .zero)
                return machine.endTrial(1, end, at: .zero, using: &generator)
            }
        }
        var generator = SplitMix64(seed: 11)
        for (period, jitter) in [
            (Duration.seconds(5), 0.1), (.seconds(5), 1), (.seconds(5), 0), (.zero, 1), (.longest, 0.5),
            (Duration(attoseconds: .max), 1),
        ] {
            for begin in begins + trials {
                let rests = (0..<200).map { _ in
                    var machine = CircuitMachine(
                        failureRatio: 1, minimumCalls: 1, window: .seconds(10), openPeriod: period, jitter: jitter)
                    expect(begin(&machine, &generator).state, equals: .open)
                    guard case .refused(let rest?, _) = machine.admit(at: .zero).0 else { return Duration.zero }
                    // The circuit refuses exactly as long as the refusal says.
                    let least = Duration(attoseconds: 1)
                    guard case .refused(least, _) = machine.admit(at: rest - least).0,
                        case .tries = machine.admit(at: rest).0
                    else { return Duration(attoseconds: .max) }
                    return rest
                }
                let share = min(period, .longest) * jitter
                let range = min(period, .longest) - share...min(period, .longest) + share
                #expect(rests.allSatisfy(range.contains), "\(period), \(jitter)")
                #expect(share == .zero ? Set(rests) == [period] : Set(rests).count > 190)
                #expect(share == .zero || rests.contains { $0 < period } && rests.contains { $0 > range.lowerBound })
            }
        }
    }

    @Test("it behaves like a naive model in random operations with a jumping clock")
    func model() {
        var generator = SplitMix64(seed: 7)
        for _ in 0..<(isLong ? 30_000 : 300) {
            func random(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }
            let (ratio, minimum) = (Double(random(1...10)) / 10, random(1...6))
            let (window, openPeriod) = (random(1...3) * 10, random(0...6))
            var circuit = Circuit(failureRatio: ratio, minimumCalls: minimum, window: window, openPeriod: openPeriod)
            var naive = NaiveCircuit(ratio: ratio, minimum: minimum, window: window, openPeriod: openPeriod)
            var now = 0
            for _ in 0..<120 {
                now += random(0...2)
                if random(0...9) == 0 { now += random(-12...12) }
                let (end, hint) = (random(0...4), [nil, random(0...9)][random(0...1)])
                switch random(0...19) {
                case 0..<7:
                    let trial = [nil, naive.trial, 1][random(0...2)]
                    expect(circuit.admit(within: trial, at: now), equals: naive.admit(within: trial, at: now))
                case 7..<15:
                    let era = random(max(1, naive.era - 1)...naive.era)
                    // Let more than half of the calls fail.
                    let number = random(0...1) == 0 ? 1 : end
                    expect(
                        circuit.end(number, hint, in: era, at: now),
                        equals: naive.end(Self.ends(hint)[number], in: era, at: now))
                case 15..<19:
                    guard let trial = naive.trial else { continue }
                    expect(
                        circuit.endTrial(trial, Circuit.ends(hint)[end], at: now),
                        equals: naive.endTrial(trial, Self.ends(hint)[end], at: now))
                default:
                    if end == 0 {
                        expect(circuit.close(), equals: naive.close())
                    } else if end == 1 {
                        expect(circuit.isolate(), equals: naive.isolate())
                    }
                }
                expect(circuit.machine.state, equals: naive.state)
                expect(circuit.machine.closedEra, equals: (naive.state == .closed ? naive.era : nil))
            }
        }
    }

    private static func ends(_ hint: Int?) -> [NaiveCircuit.End] {
        [.success, .failure(hint: hint), .otherError, .refusal, .cancellation]
    }
}

/// The machine with whole seconds and comparable results.
private struct Circuit {
    var machine: CircuitMachine
    private var generator = SplitMix64(seed: 7)

    init(within window: Duration) {
        machine = CircuitMachine(failureRatio: 1, minimumCalls: 2, window: window, openPeriod: .zero, jitter: 0)
    }

    init(failureRatio: Double, minimumCalls: Int, window: Int, openPeriod: Int) {
        machine = CircuitMachine(
            failureRatio: failureRatio, minimumCalls: minimumCalls, window: .seconds(window),
            openPeriod: .seconds(openPeriod), jitter: 0)
    }

    mutating func admit(within trial: UInt64? = nil, at now: Int) -> NaiveCircuit.Admission {
        let (admission, change) = machine.admit(within: trial, at: .seconds(now))
        switch admission {
        case .passes(let era): return .passes(era: era)
        case .tries(let trial): return .tries(trial, change.state)
        case .isPartOfTrial: return .isPartOfTrial
        case .refused(let left, _): return .refused(left: left.map { Int($0 / .seconds(1)) })
        }
    }

    mutating func end(_ end: CircuitMachine.End, in era: Int? = nil, at now: Int) -> CircuitChanged.State? {
        machine.end(end, in: era ?? machine.closedEra ?? 0, at: .seconds(now), using: &generator).state
    }

    mutating func end(_ number: Int, _ hint: Int?, in era: Int, at now: Int) -> CircuitChanged.State? {
        end(Self.ends(hint)[number], in: era, at: now)
    }

    mutating func fail(hint: Int? = nil, in era: Int? = nil, at now: Int) -> CircuitChanged.State? {
        end(.failure(Self.failure(hint)), in: era, at: now)
    }

    mutating func succeed(at now: Int) -> CircuitChanged.State? { end(.success, at: now) }

    mutating func endTrial(_ trial: UInt64, _ end: CircuitMachine.End, at now: Int) -> CircuitChanged.State? {
        machine.endTrial(trial, end, at: .seconds(now), using: &generator).state
    }

    mutating func isolate() -> CircuitChanged.State? { machine.isolate(because: Timeout()).state }

    mutating func close() -> CircuitChanged.State? { machine.close().state }

    static func ends(_ hint: Int?) -> [CircuitMachine.End] {
        [.success, .failure(failure(hint)), .otherError, .refusal, .cancellation]
    }

    private static func failure(_ hint: Int?) -> CircuitMachine.Failure {
        .init(error: Timeout(), retryAfter: hint.map { .seconds($0) })
    }
}
