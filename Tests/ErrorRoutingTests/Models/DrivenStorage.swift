import TestSupport
import Testing

@testable import ErrorRouting

/// A bus's storage whose events come one by one, from one thread, and whose actions are carried out and can be
/// compared; it decides nothing.
final class DrivenStorage {
    /// What comes out of the bus, in a comparable form.
    enum Event: Equatable {
        case error(Int, occurrences: Int)
        case drops(ErrorsDropped)
        /// An action's failure, by the number of what it threw; nil if it took too long.
        case failure(Int?)
        /// Everybody who waits has to be told; nobody else will hear of these failures.
        case told([Event])
        /// A worker in the lane has come to a report, and is to compute its flood mark.
        case unmarked
        /// A worker in the lane is to wait for the next report.
        case waits
        case asleep, end, superseded
    }

    let storage: BusStorage
    /// Whether anyone observes the reports.
    var isObserved = false
    /// Whether the worker is to stop where it has come to a report in the lane that a flood limit has to let pass.
    var stopsUnmarked = false
    /// The place of the report at which it stopped so the last time.
    private(set) var unmarkedPlace = 0
    /// Where a worker would begin with what was delivered last.
    private(set) var progress = DispatchProgress()
    /// What was delivered last.
    private(set) var report: ErrorReport?
    /// Whether somebody waits for what was delivered last.
    private(set) var isWaitedFor = false
    /// The report that the worker is at in the lane, and whether it is telling of the one before.
    private(set) var inLane: (number: Int64, isTelling: Bool)?
    /// The moment at which the worker wanted to be woken, when it last went to sleep.
    private(set) var alarm: Duration?
    let rule = AsynchronousRule(ErrorMatcher<any Error>.any, at: .init()) { _ in .stop }

    init(capacity: Int = 8, limit: Duration? = .seconds(30), flood: FloodLimit? = nil, isRunning: Bool = true) {
        storage = BusStorage(capacity: capacity, actionTimeLimit: limit, floodLimit: flood)
        if isRunning { expect(run(), equals: .start(generation: 0)) }
    }

    var statistics: ErrorBus.Statistics { storage.statistics.counts }

    // MARK: Posters

    func reserve(_ number: Int) -> IntakeBox.Reservation { reserve(for: Numbered(number)) }

    func reserve(for error: any Error) -> IntakeBox.Reservation {
        .init(storage.shared.intake.reserve(for: error))
    }

    @discardableResult
    func fill(_ place: Int, with posting: Posting) -> IntakeBox.FillResult {
        let answer = storage.shared.intake.mailbox.fill(Int64(place), with: posting)
        if answer == .refused {
            let reclaimed = storage.shared.intake.reclaim(Int64(place))
            expect(Self.number(of: reclaimed.error), equals: Self.number(of: posting.error))
        }
        return answer
    }

    /// Posts from beginning to end; returns whether the worker has to be woken, or nil if the error was dropped.
    @discardableResult
    func post(_ number: Int, line: UInt = 1, at moment: Duration = .zero, isWaitedFor: Bool = false) -> Bool? {
        switch reserve(number) {
        case .accepted(let place):
            let posting = IntakeBox.posting(Numbered(number), line: line, at: moment, isWaitedFor: isWaitedFor)
            return fill(place, with: posting) == .filledForSleeper
        case .full(let makesNotice):
            if makesNotice { _ = storage.needsNotice(at: .init()) }
            return nil
        case .closed:
            return nil
        }
    }

    // MARK: The worker

    /// Asks what the worker of a generation does next, and carries it out; a worker that was telling has told.
    func next(_ generation: UInt64 = 0, at now: Duration = .zero) -> Event {
        var action: WorkerAction?
        if case (let number, true)? = inLane {
            inLane = nil
            action = storage.toldInLane(at: number, for: generation) ?? .deliverInLane(number)
        }
        return carryOut(action ?? storage.next(for: generation), generation, at: now)
    }

    private func carryOut(_ action: WorkerAction, _ generation: UInt64, at now: Duration) -> Event {
        switch action {
        case .deliver(let pending, let checkpoint):
            inLane = nil
            return begin(pending.report(), isWaitedFor: pending.posting.isWaitedFor, from: checkpoint?.progress)
        case .deliverInLane(let number):
            inLane = (number, false)
            let posting = unsafe storage.posting(inLaneAt: number).pointee
            let report = posting.report(sequence: storage.sequence(inLaneAt: number))
            return begin(report, isWaitedFor: posting.isWaitedFor)
        case .markInLane(let number) where stopsUnmarked:
            (inLane, unmarkedPlace) = (nil, Int(number))
            return .unmarked
        case .markInLane(let number):
            let mark = Self.mark(of: unsafe storage.posting(inLaneAt: number).pointee)
            let action = storage.admit(mark, at: number, for: generation)
            return carryOut(action ?? .deliverInLane(number), generation, at: now)
        case .tell(_, _, let unheard):
            inLane = nil
            return .told(unheard.map(Self.event(of:)))
        case .held(let promise):
            promise.fulfill(.pending)
            return next(generation, at: now)
        case .flushed(let promises):
            for promise in promises { promise.fulfill(true) }
            return next(generation, at: now)
        case .readClock: return carryOut(storage.next(for: generation, at: now), generation, at: now)
        case .sleep(_, let alarm):
            (self.alarm, inLane) = (alarm, nil)
            return .asleep
        case .end:
            inLane = nil
            return .end
        case .stop: return .superseded
        }
    }

    private func begin(_ report: ErrorReport, isWaitedFor: Bool, from progress: DispatchProgress? = nil) -> Event {
        (self.report, self.isWaitedFor, self.progress) = (report, isWaitedFor, progress ?? DispatchProgress())
        return Self.event(of: report)
    }

    /// Completes the worker's report, and carries out what follows.
    ///
    /// - Parameter isTold: Whether anyone has to be told of it, apart from the poster.
    func complete(
        _ disposition: HandleOutcome.Disposition = .handled, failures: [ActionFailure] = [], isTold: Bool,
        mayWait: Bool = false, generation: UInt64 = 0, at now: Duration = .zero
    ) -> Event {
        let result = result(disposition, failures)
        guard case (let number, false)? = inLane else {
            return carryOut(storage.complete(result, for: generation, isObserved: isTold), generation, at: now)
        }
        let isTold = isTold || isWaitedFor
        switch storage.completeInLane(number, result, isTold: isTold, mayWait: mayWait, for: generation) {
        case .next: return carryOut(.deliverInLane(number + 1), generation, at: now)
        case .leave(let action): return carryOut(action, generation, at: now)
        case .wait: return .waits
        case .tell:
            _ = storage.take(inLaneAt: number)
            inLane = (number + 1, true)
            return .told([])
        }
    }
}
