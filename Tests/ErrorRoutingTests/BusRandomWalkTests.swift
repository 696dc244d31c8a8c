import Testing

@testable import ErrorRouting

/// Posts in all their steps, deliveries and ends of all kinds in random order, against a naive bus.
@Suite("A random walk through intake and machine keeps the law (behaviours 11, 13, 14, 16, 18 and 20)")
struct BusRandomWalkTests {
    @Test("without a flood limit", arguments: 0..<200 as Range<UInt64>)
    func plain(seed: UInt64) { BusWalk(seed: seed, hasFloodLimit: false).run() }

    @Test("with a flood limit", arguments: 1_000..<1_200 as Range<UInt64>)
    func flooded(seed: UInt64) { BusWalk(seed: seed, hasFloodLimit: true).run() }
}

/// One walk: each step is taken by both buses, and their answers compared.
final class BusWalk {
    struct Odd: ErrorWithNumber {
        let number: Int
    }

    private let bus: PlainBus
    private var naive: NaiveBus
    private var random: SplitMix64
    private var now = 0
    private var generation: UInt64 = 0
    private var lastSequence: UInt64 = 0
    /// Droppers who have not announced their notice yet, and one who has not pushed it yet.
    private var (announcers, hasAnnounced) = (0, false)
    private var isAnnouncing = false
    private let rule = AsynchronousRule(ErrorMatcher<any Error>.any, at: .init()) { _, _ in .stop }

    init(seed: UInt64, hasFloodLimit: Bool) {
        random = SplitMix64(seed: seed)
        let capacity = Int.random(in: 1...8, using: &random)
        let first = Int.random(in: 0...2, using: &random)
        let limit = hasFloodLimit ? FloodLimit(first: first, per: .milliseconds(20)) : nil
        bus = PlainBus(capacity: capacity, limit: .milliseconds(10), flood: limit)
        // Half of the capacity, so that one storm does not keep all else out.
        let flood = NaiveFloodLimiter(first: first, window: 20, maximum: max(1, capacity / 2))
        naive = NaiveBus(capacity: capacity, flood: hasFloodLimit ? flood : nil)
    }

    func run() {
        for step in 0..<400 {
            now += chance(60) ? 0 : Int.random(in: 0...6, using: &random)
            switch Int.random(in: 0..<1_000, using: &random) {
            case ..<330: reserve(step)
            case ..<520: push()
            case ..<560: announce()
            case ..<600: pushNotice()
            case ..<800: next()
            case ..<950: complete(step)
            case ..<980: abandon()
            case ..<990: replaceWorker()
            case ..<992: takeBack()
            case ..<994: finish()
            default: continue
            }
            check()
        }
        end()
    }

    // MARK: Steps

    private func reserve(_ number: Int) {
        let posted = NaiveBus.Posted(number: number, kind: 2 * chance(2...4) + number % 2, moment: now)
        let expected = naive.reserve(posted, type: String(reflecting: type(of: error(number))))
        #expect(bus.box.reserve(for: error(number)) == expected)
        if expected == .full(makesNotice: true) { announcers += 1 }
        #expect(announcers <= 1)
    }

    /// One of the posters who have room goes on; not always the first.
    private func push() {
        guard let posted = naive.reserved.randomElement(using: &random) else { return }
        let moment = Duration.milliseconds(posted.moment)
        let pending = bus.pending(error(posted.number), line: UInt(posted.kind), at: moment)
        #expect(bus.box.push(pending) == naive.push(posted))
    }

    private func announce() {
        guard announcers > 0 else { return }
        announcers -= 1
        let isAnnounced = bus.box.reserveNotice()
        #expect(isAnnounced == !naive.hasEnded)
        if isAnnounced { (naive.hasNotice, hasAnnounced) = (true, true) } else { takeDropsAfterEnd() }
    }

    private func pushNotice() {
        guard hasAnnounced else { return }
        hasAnnounced = false
        let expected = naive.pushNotice()
        #expect(bus.box.pushNotice() == expected)
        if expected == .refused { takeDropsAfterEnd() }
    }

    /// Nobody can deliver a notice any more, so whoever wanted one tells of the drops itself.
    private func takeDropsAfterEnd() {
        let drops = bus.box.intake.takeDrops()
        #expect(drops == naive.takeDrops() && drops.count > 0)
        bus.machine.counters.toldDrops += drops.count
    }

    private func next() {
        if naive.hasEnded { return }
        isAnnouncing = false
        let isNew = naive.delivering == nil
        let expected = naive.next(at: now)
        #expect(bus.next(generation, at: .milliseconds(now)) == expected)
        guard naive.delivering != nil else { return }
        if isNew { lastSequence += 1 }
        #expect(bus.report?.sequence == lastSequence)
        #expect(bus.progress.failures.count == naive.abandoned)
    }

    private func complete(_ number: Int) {
        var disposition: HandleOutcome.Disposition = chance(60) ? .handled : chance(50) ? .ignored : .unmatched
        // An action that took too long belonged to a rule that matched.
        if naive.abandoned > 0, disposition == .unmatched { disposition = .handled }
        let fails = chance(30) ? (0..<chance(1...2)).map { bus.failure(number + $0) } : []
        let failures: [Int?] = Array(repeating: nil, count: naive.abandoned) + fails.indices.map { number + $0 }
        // What answers nil has changed nothing, which is checked by going on as if it had not been asked.
        if chance(50), let event = bus.goOn(disposition, failures: fails, generation: generation) {
            #expect(naive.complete(disposition, failures: failures) == [] && failures.isEmpty)
            #expect(event == naive.next(at: now))
            lastSequence += 1
            #expect(bus.report?.sequence == lastSequence)
            return
        }
        let (isObserved, expected) = (chance(50), naive.complete(disposition, failures: failures))
        let unheard = bus.complete(disposition, failures: fails, isObserved: isObserved, generation: generation)
        #expect(unheard == expected)
        if let unheard { isAnnouncing = isObserved || !unheard.isEmpty }
    }

    /// The action in delivery outlives its time, and another worker takes the report over.
    private func abandon() {
        guard naive.delivering != nil, let report = bus.report else { return }
        let begun = bus.machine.actionWillBegin(rule, bus.progress, report, at: .zero, for: generation)
        #expect(begun != .superseded)
        #expect(bus.watch(at: .milliseconds(10)) == .replaceWorker(generation + 1))
        generation += 1
        naive.abandoned += 1
        next()
    }

    private func replaceWorker() {
        let next = bus.replaceWorker(generation)
        #expect(next == (naive.hasEnded ? nil : generation + 1))
        generation = next ?? generation
        #expect(bus.complete(generation: generation &- 1) == nil)
    }

    private func finish() { #expect(bus.finish() == naive.finish()) }

    private func takeBack() {
        if naive.hasEnded { return }
        let abandoned = naive.abandoned
        let left = bus.takeBack()
        #expect(left.reports == naive.takeBack())
        #expect(left.failures == Array(repeating: .failure(nil), count: abandoned))
        #expect(bus.leftoversWereReceived() == !isAnnouncing)
        // The worker that tells of a report comes back, and ends the bus; any other is superseded.
        #expect(bus.next(generation) == (isAnnouncing ? .end : .superseded))
    }

    /// All posters go on to their ends; then the worker, if it still may.
    private func end() {
        finish()
        while !naive.reserved.isEmpty { push() }
        announce()
        pushNotice()
        var number = 1_000
        while !naive.hasEnded {
            next()
            check()
            number += 2
            complete(number)
            check()
        }
        #expect(bus.statistics.pending == 0 && naive.untold.isEmpty)
        #expect(bus.box.takeAll() == [])
        #expect(bus.box.intake.state.hasEnded && bus.machine.hasEnded)
    }

    // MARK: What holds after every step

    private func check() {
        #expect(bus.statistics == naive.statistics)
        #expect(bus.statistics.isBalanced)
        #expect(naive.used <= naive.capacity)
        #expect(bus.machine.flood?.heldCount == naive.flood?.heldCount)
    }

    private func error(_ number: Int) -> any ErrorWithNumber {
        number % 2 == 0 ? Numbered(number) : Odd(number: number)
    }

    private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    private func chance(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
}
