import TestSupport
import Testing

@testable import ErrorRouting

/// All steps of posts, deliveries, and ends of all kinds come in random order.
@Suite(
    "Behaviours 11, 13, 14, 16, 18 and 20: a bus does what a naive bus does",
    .tags(.behaviour11, .behaviour13, .behaviour14, .behaviour16, .behaviour18, .behaviour20), .hangLimit)
struct BusRandomWalkTests {}

extension BusRandomWalkTests {
    @Test("both buses agree without a flood limit", arguments: 0..<(isLong ? 200 : 80) as Range<UInt64>)
    func plain(seed: UInt64) { BusWalk(seed: seed, hasFloodLimit: false).run() }

    @Test("both buses agree with a flood limit", arguments: 1_000..<(isLong ? 1_200 : 1_080) as Range<UInt64>)
    func flooded(seed: UInt64) { BusWalk(seed: seed, hasFloodLimit: true).run() }

    @Test("both buses agree if the mailbox's ring just suffices, or has doubled", arguments: [30, 31, 62, 63, 64])
    func aboutDoubledRings(capacity: Int) {
        for seed in 0..<(isLong ? 6 : 2) as Range<UInt64> {
            BusWalk(seed: seed, hasFloodLimit: seed % 2 == 1, capacity: capacity).run(steps: isLong ? 3_000 : 2_000)
        }
    }
}

/// One walk: both buses take each step, and their results are compared.
final class BusWalk {
    struct Odd: ErrorWithNumber {
        let number: Int
    }

    private let bus: DrivenStorage
    private var naive: NaiveBus
    private var random: SplitMix64
    private var now = 0
    private var generation: UInt64 = 0
    private var lastSequence: UInt64 = 0
    /// Whether a dropper hasn't requested its notice yet.
    private var needsNotice = false
    private var isNotifying = false
    /// Whether posts or deliveries prevail, so that the bus fills up and empties.
    private var isRising = true

    init(seed: UInt64, hasFloodLimit: Bool, capacity: Int? = nil) {
        random = SplitMix64(seed: seed)
        let capacity = capacity ?? Int.random(in: 1...8, using: &random)
        let first = Int.random(in: 0...2, using: &random)
        let limit = hasFloodLimit ? FloodLimit(first: first, per: .milliseconds(20)) : nil
        bus = DrivenStorage(capacity: capacity, limit: .milliseconds(10), flood: limit)
        // Half of the capacity, so that one flood doesn't exclude all other errors.
        let flood = NaiveFloodLimiter(first: first, window: 20, maximum: max(1, capacity / 2))
        naive = NaiveBus(capacity: capacity, flood: hasFloodLimit ? flood : nil)
    }

    func run(steps: Int = 400) {
        for step in 0..<steps {
            now += chance(60) ? 0 : Int.random(in: 0...6, using: &random)
            isRising = naive.used == 0 || isRising && naive.used < naive.capacity
            switch Int.random(in: 0..<1_000, using: &random) {
            case ..<(isRising ? 330 : 220): reserve(step)
            case ..<520: fill()
            case ..<600: askForNotice()
            case ..<(isRising ? 750 : 850): next()
            case ..<950: complete(step)
            case ..<970: abandon()
            case ..<980: replaceWorker()
            case ..<990: bus.isObserved = chance(30)
            // An early end would cut a long walk short.
            case ..<992 where chance(100 * 400 / steps): abort()
            case ..<994 where chance(100 * 400 / steps): finish()
            default: continue
            }
            check()
        }
        end()
    }

    // MARK: Steps

    private func reserve(_ number: Int) {
        let kind = 2 * chance(2...4) + number % 2
        let posted = NaiveBus.Posted(position: naive.accepted, number: number, kind: kind, moment: now)
        let expected = naive.reserve(posted, type: String(reflecting: type(of: error(number))))
        expect(bus.reserve(for: error(number)), equals: expected)
        if expected == .full(makesNotice: true) {
            #expect(!needsNotice)
            needsNotice = true
        }
    }

    /// Fills the slot of one of the callers that have one, not always the first.
    private func fill() {
        guard let posted = chance(50) ? naive.reserved.first : naive.reserved.randomElement(using: &random) else {
            return
        }
        let posting = IntakeBox.posting(
            error(posted.number),
            line: UInt(posted.kind),
            at: .milliseconds(posted.moment),
            isWaitedFor: chance(10)
        )
        expect(bus.fill(posted.position, with: posting), equals: naive.fill(posted))
    }

    private func askForNotice() {
        guard needsNotice else { return }
        needsNotice = false
        let drops = naive.announceDrops()
        expect(bus.storage.intake.announceDrops(at: .init()), equals: drops == nil)
        // Nothing delivers a notice after the end, so the dropper reports the drops itself.
        if let drops {
            let taken = bus.storage.perform { $0.takeDrops($1) }
            expect(taken?.error.error as? ErrorsDropped, equals: drops)
        }
    }

    private func next() {
        if naive.hasEnded { return }
        isNotifying = false
        bus.stopsUnadmitted = chance(20)
        expectNext(bus.next(generation, at: .milliseconds(now)))
    }

    /// A flood limit hasn't checked a report that isn't in delivery yet: it can be removed, and the worker can
    /// be replaced.
    private func expectUnadmitted() {
        // Errors before it might have been held just now.
        naive.advance(before: Int(bus.storage.perform { $0.nextNumber }))
        #expect(naive.delivering == nil)
        check()
        bus.stopsUnadmitted = false
        if chance(10) { return abort() }
        if chance(10) { replaceWorker() }
        expectNext(bus.next(generation, at: .milliseconds(now)))
    }

    private func expectNext(_ event: DrivenStorage.Event) {
        if event == .unadmitted { return expectUnadmitted() }
        let isNew = naive.delivering == nil
        expect(event, equals: naive.next(at: now))
        if event == .asleep { expect(bus.alarm, equals: naive.flood?.nextEnd.map { .milliseconds($0) }) }
        guard naive.delivering != nil else { return }
        if isNew { lastSequence += 1 }
        expect(bus.report?.sequence, equals: lastSequence)
        #expect(bus.isDelivering(lastSequence))
        expect(bus.progress.failures?.count ?? 0, equals: naive.abandoned)
    }

    private func complete(_ number: Int) {
        if isNotifying { return next() }
        var disposition: HandleOutcome.Disposition = chance(60) ? .handled : chance(50) ? .ignored : .unmatched
        // An action that took too long belonged to a rule that matched.
        if naive.abandoned > 0, disposition == .unmatched { disposition = .handled }
        let fails = chance(30) ? (0..<chance(1...2)).map { bus.failure(number + $0) } : []
        let failures: [Int?] = Array(repeating: nil, count: naive.abandoned) + fails.indices.map { number + $0 }
        bus.stopsUnadmitted = chance(20)
        let isHeard = bus.isObserved || bus.isWaitedFor
        let expected = naive.complete(disposition, failures: failures)
        let event = bus.complete(
            disposition, failures: fails, isObserved: bus.isObserved, generation: generation, at: .milliseconds(now))
        switch event {
        case .superseded:
            expectNil(expected)
        case .notifies(let unreported):
            #expect(unreported == expected && (isHeard || !unreported.isEmpty))
            isNotifying = true
            // The same event began the next report, unless a flood limit has to admit it.
            naive.advance(before: Int(bus.storage.perform { $0.nextNumber }))
            if naive.delivering != nil { lastSequence += 1 }
        default:
            // Nobody had to be notified.
            expect(expected, equals: [])
            #expect(!isHeard)
            expectNext(event)
        }
    }

    /// Lets the action in delivery exceed its time limit, and another worker take over the report.
    private func abandon() {
        guard naive.delivering != nil, !isNotifying else { return }
        #expect(bus.begin(bus.rule, at: .zero, generation))
        expect(bus.timeIsUp(at: .milliseconds(10)).first, equals: .seconds(generation + 1))
        expectSuperseded(generation)
        generation += 1
        naive.abandoned += 1
        next()
    }

    private func replaceWorker() {
        let next = bus.replaceWorker(generation)
        expect(next, equals: (naive.hasEnded ? nil : generation + 1))
        if !isNotifying { expectSuperseded(next.map { $0 - 1 } ?? generation) }
        generation = next ?? generation
        guard let next, naive.delivering != nil, !isNotifying else { return }
        _ = bus.next(next)
    }

    /// A worker that is no longer the bus's changes nothing, not even the report that it has delivered.
    private func expectSuperseded(_ generation: UInt64) {
        expect(bus.next(generation), equals: .superseded)
        expectNil(bus.complete(generation: generation))
        check()
    }

    private func finish() { expect(bus.finish(), equals: naive.finish()) }

    private func abort() {
        if naive.hasEnded { return }
        let abandoned = naive.abandoned
        let read = filledSlots.filter { $0 == bus.address }
        let left = bus.abort()
        expect(left.reports, equals: naive.abort())
        #expect(filledSlots.isSuperset(of: read), "the worker may be reading it")
        #expect(filledSlots.count <= 1)
        expect(left.failures, equals: Array(repeating: .failure(nil), count: abandoned))
        check()
        // A worker that notifies observers of a report might return before the caller has the remaining reports.
        if isNotifying, chance(50) {
            expect(bus.next(generation), equals: .superseded)
            isNotifying = false
        }
        expect(bus.leftoversWereReceived(), equals: !isNotifying)
        // Otherwise it ends the bus; any other is superseded.
        expect(bus.next(generation), equals: (isNotifying ? .end : .superseded))
        isNotifying = false
        expectSuperseded(generation)
    }

    /// Ends all callers, then the worker, if it isn't superseded.
    private func end() {
        finish()
        while !naive.reserved.isEmpty { fill() }
        askForNotice()
        var number = 1_000
        while !naive.hasEnded {
            next()
            check()
            number += 2
            complete(number)
            check()
        }
        expect(bus.statistics.pending, equals: 0)
        #expect(naive.unreported.isEmpty)
        expect(filledSlots, equals: [])
        #expect(bus.hasEnded)
    }

    /// The addresses of the reports in the ring.
    private var filledSlots: Set<UInt> {
        let addresses = (0...Int64(naive.accepted)).map { number in
            unsafe UInt(bitPattern: bus.storage.intake.mailbox.element(at: number))
        }
        return Set(addresses).subtracting([0])
    }

    // MARK: Invariants

    private func check() {
        expect(bus.statistics, equals: naive.statistics)
        #expect(bus.statistics.isBalanced)
        expect(bus.isIdle(), equals: !isNotifying && (naive.hasEnded || naive.statistics.pending == 0))
        #expect(naive.used <= naive.capacity)
    }

    private func error(_ number: Int) -> any ErrorWithNumber {
        number % 2 == 0 ? Numbered(number) : Odd(number: number)
    }

    private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    private func chance(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
}
