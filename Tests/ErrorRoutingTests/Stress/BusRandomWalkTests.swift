import TestSupport
import Testing

@testable import ErrorRouting

/// All steps of posts, deliveries, and ends of all kinds come in random order.
@Suite(
    "Promises 11, 13, 14, 16, 18, and 20: a bus does what a naive bus does",
    .tags(.promise11, .promise13, .promise14, .promise16, .promise18, .promise20), .hangLimit)
struct BusRandomWalkTests {}

extension BusRandomWalkTests {
    @Test("both buses agree without a flood limit", arguments: 0..<(isLong ? 200 : 80) as Range<UInt64>)
    func plain(seed: UInt64) { BusWalk(seed: seed, hasFloodLimit: false).run() }

    @Test("both buses agree with a flood limit", arguments: 1_000..<(isLong ? 1_200 : 1_080) as Range<UInt64>)
    func flooded(seed: UInt64) { BusWalk(seed: seed, hasFloodLimit: true).run() }

    @Test("both buses agree if the mailbox's ring is just large enough or doubled", arguments: [31, 32, 33, 63, 64])
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
    private var lastSequence: UInt64 = 0
    /// Whether a dropper hasn't announced its notice yet.
    private var needsNotice = false
    private var isNotifying = false
    private var flushes: [Promise<Bool>] = []
    /// Whether a shutdown removed reports, or refused callers.
    private var wereRemoved = false
    /// Whether posts or deliveries predominate, so that the bus fills up and empties.
    private var isRising = true

    init(seed: UInt64, hasFloodLimit: Bool, capacity: Int? = nil) {
        random = SplitMix64(seed: seed)
        let capacity = capacity ?? Int.random(in: 1...8, using: &random)
        let first = Int.random(in: 0...2, using: &random)
        let limit = hasFloodLimit ? FloodLimit(first: first, per: .milliseconds(20)) : nil
        bus = DrivenStorage(capacity: capacity, flood: limit)
        // Use half of the capacity, so that one flood doesn't crowd out all other errors.
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
            case ..<970: runAction()
            case ..<980: flush()
            case ..<990: bus.isObserved = chance(30)
            // An early end would cut a long walk short.
            case ..<992 where chance(100 * 400 / steps): abort()
            case ..<994 where chance(100 * 400 / steps): finish()
            case ..<997 where chance(100 * 400 / steps): closeIfIdle()
            case ..<998 where chance(100 * 400 / steps): endTasks()
            default: continue
            }
            check()
        }
        end()
    }

    // MARK: Steps

    private func reserve(_ number: Int) {
        let kind = 2 * chance(2...4) + number % 2
        let posted = NaiveBus.Posted(position: naive.accepted, number: number, kind: kind, time: now)
        let expected = naive.reserve(posted, type: String(reflecting: type(of: error(number))))
        expect(bus.reserve(for: error(number)), equals: expected)
        if expected == .full(makesNotice: true) {
            #expect(!needsNotice)
            needsNotice = true
        }
    }

    /// Fills the slot of a caller that has reserved it, which isn't always the first such caller.
    private func fill() {
        guard let posted = chance(50) ? naive.reserved.first : naive.reserved.randomElement(using: &random) else {
            return
        }
        let posting = IntakeBox.posting(
            error(posted.number),
            line: UInt(posted.kind),
            at: .milliseconds(posted.time),
            isWaitedFor: chance(10)
        )
        expect(bus.fill(posted.position, with: posting), equals: naive.fill(posted))
    }

    private func askForNotice() {
        guard needsNotice else { return }
        needsNotice = false
        let drops = naive.announceDrops()
        switch bus.storage.apply({ $0.announceDrops(at: .init()) }) {
        case .nothing: Issue.record("a notice is neither announced nor written")
        case .wake: expectNil(drops)
        // After the end, no notice is delivered, so the dropper reports the drops itself.
        case .write(let taken): expect(taken.error.error as? ErrorsDropped, equals: drops)
        }
    }

    private func next() {
        if naive.hasEnded || naive.delivering != nil { return }
        isNotifying = false
        expectNext(bus.next(at: .milliseconds(now)))
    }

    private func expectNext(_ event: DrivenStorage.Event) {
        expect(event, equals: naive.next(at: now))
        if event == .asleep { expect(bus.alarm, equals: naive.flood?.nextEnd.map { .milliseconds($0) }) }
        guard naive.delivering != nil else { return }
        lastSequence += 1
        expect(bus.report?.sequence, equals: lastSequence)
        expect(bus.storage.apply { $0.isDelivering(lastSequence) }, equals: true)
    }

    private func complete(_ number: Int) {
        if isNotifying { return next() }
        if naive.delivering == nil { return }
        let decision: Decision = chance(60) ? .handled : chance(50) ? .ignored : .unmatched
        let fails = chance(30) ? (0..<chance(1...2)).map { bus.failure(number + $0) } : []
        for failure in fails {
            bus.fail(failure)
            naive.fail(number + naive.failed.count(where: { $0 != nil }))
        }
        let isNotified = bus.isObserved || bus.isWaitedFor
        let expected = naive.complete(decision)
        let event = bus.complete(decision, isObserved: bus.isObserved, at: .milliseconds(now))
        guard case .notifies(let unreported) = event else {
            // No caller or observer had to be notified.
            expect(expected, equals: [])
            #expect(!isNotified)
            return expectNext(event)
        }
        #expect(unreported == expected && (isNotified || !unreported.isEmpty))
        isNotifying = true
    }

    /// Runs an asynchronous action to its end, or lets it exceed its time limit, so that its end comes too late.
    private func runAction() {
        guard naive.delivering != nil else { return }
        guard let action = bus.begin(at: .zero, limit: .milliseconds(10)) else { return }
        guard chance(50) else {
            return expect(bus.storage.apply { $0.actionEnds(action, .returned(.next)) }, equals: true)
        }
        expectNil(bus.overdue(at: .milliseconds(9)))
        #expect(bus.overdue(at: .milliseconds(10)) === action)
        naive.fail(nil)
        check()
        expect(bus.storage.apply { $0.actionEnds(action, .failed(bus.failure(0))) }, equals: false)
    }

    private func finish() { expect(bus.storage.apply { $0.close() }, equals: naive.finish() ? .wake : .nothing) }

    /// Flushes the bus; `check` compares which flushes are done.
    private func flush() {
        let promise = Promise<Bool>()
        let expected: BusStateMachine.FlushAction =
            isIdle ? .nothing : naive.flush() ? .wakeAndWait : .wait
        expect(bus.storage.apply { $0.flush(promise) }, equals: expected)
        if expected != .nothing { flushes.append(promise) }
    }

    /// Closes the bus if it is idle and no report was delivered since a number of delivered reports, which is sometimes
    /// out of date.
    private func closeIfIdle() {
        let (counts, wasClosed) = (naive.statistics, naive.isClosed)
        let isOutdated = chance(20)
        let delivered = counts.handled + counts.ignored + counts.unmatched - (isOutdated ? 1 : 0)
        let action = bus.storage.apply { $0.close(ifIdleSince: Int64(delivered)) }
        if !wasClosed, isOutdated || !isIdle { return expectNil(action) }
        expect(action, equals: naive.finish() ? .wake : .nothing)
    }

    private func endTasks() {
        bus.storage.apply { $0.tasksEnded() }
        naive.endTasks()
    }

    private func abort() {
        if naive.hasEnded { return }
        let dropped = naive.statistics.dropped
        defer { wereRemoved = naive.statistics.dropped > dropped }
        let (failed, wasDelivering) = (naive.failed, naive.delivering != nil)
        let action = wasDelivering && chance(50) ? bus.begin(at: .zero) : nil
        let left = bus.abort()
        expect(left.reports, equals: naive.abort())
        expect(left.failures, equals: failed.map { .failure($0) })
        expect(bus.storage.delivery.isReportRemoved, equals: true)
        check()
        // The action and its worker continue without effect.
        if let action { expect(bus.storage.apply({ $0.actionEnds(action, .failed(bus.failure(0))) }), equals: false) }
        expect(bus.storage.apply { $0.actionFails(bus.failure(0)) }, equals: false)
        // A worker that is notifying observers of a report might return before the caller has the remaining reports.
        if isNotifying, chance(50) {
            expect(bus.next(), equals: .stop)
            isNotifying = false
        }
        expect(bus.storage.apply { $0.leftoversWereReceived() }, equals: !isNotifying)
        // Otherwise, the worker ends the bus.
        expect(bus.next(), equals: (isNotifying ? .end : .stop))
        isNotifying = false
        if wasDelivering { expect(bus.complete(isObserved: true), equals: .stop) }
        check()
    }

    /// Ends all callers, and then the worker.
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
        for number in 0...Int64(naive.accepted) { expect(bus.storage.hasReport(at: number), equals: false) }
        expect(bus.storage.hasEnded, equals: true)
        // A shutdown leaves these flushes to the code that ends the bus.
        let (left, haveSucceeded) = bus.storage.apply { $0.takeFlushesAtEnd() }
        expect(left.count, equals: naive.flushes.count { !$0.isDone })
        expect(haveSucceeded, equals: !wereRemoved)
    }

    // MARK: Invariants

    private var isIdle: Bool { !isNotifying && (naive.hasEnded || naive.statistics.pending == 0) }

    private func check() {
        expect(bus.statistics, equals: naive.statistics)
        #expect(bus.statistics.isBalanced)
        expect(flushes.map { $0.valueIfFulfilled == true }, equals: naive.flushes.map(\.isDone))
        expect(bus.storage.apply { $0.isIdle }, equals: isIdle)
        #expect(naive.used <= naive.capacity)
    }

    private func error(_ number: Int) -> any ErrorWithNumber {
        number % 2 == 0 ? Numbered(number) : Odd(number: number)
    }

    private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    private func chance(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
}
