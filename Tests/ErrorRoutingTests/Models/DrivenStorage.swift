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
        /// Everybody who waits has to be notified; nobody else reports these failures.
        case notifies([Event])
        /// The worker has come to a report that a flood limit has not let pass yet.
        case unadmitted
        case asleep, end, superseded
    }

    let storage: BusStorage
    /// Whether anyone observes the reports.
    var isObserved = false
    /// Whether the worker is to stop where it has come to a report that a flood limit has to let pass.
    var stopsUnadmitted = false
    /// What the worker delivers, or has come to.
    private(set) var delivery: Delivery?
    /// Where a worker would begin with what was delivered last.
    private(set) var progress = DispatchProgress()
    /// What was delivered last.
    private(set) var report: ErrorReport?
    /// Whether somebody waits for what was delivered last.
    private(set) var isWaitedFor = false
    /// The moment at which the worker wanted to be woken, when it last went to sleep.
    private(set) var alarm: Duration?
    let rule = AsynchronousRule(ErrorMatcher<any Error>.any, at: .init()) { _ in .stop }

    init(capacity: Int = 8, limit: Duration? = .seconds(30), flood: FloodLimit? = nil) {
        storage = BusStorage(capacity: capacity, actionTimeLimit: limit, floodLimit: flood)
        expect(storage.perform { $0.run() }, equals: true)
    }

    var statistics: ErrorBus.Statistics { storage.perform { $0.statistics($1) } }

    // MARK: Posters

    func reserve(for error: any Error) -> IntakeBox.Reservation {
        .init(storage.intake, for: error)
    }

    @discardableResult
    func fill(_ place: Int, with posting: Posting) -> IntakeBox.FillResult {
        let answer = storage.intake.mailbox.fill(Int64(place), with: posting)
        if answer == .refused {
            let reclaimed = storage.intake.mailbox.reclaim(Int64(place))
            expect(Self.number(of: reclaimed.error), equals: Self.number(of: posting.error))
        }
        return answer
    }

    /// Posts from beginning to end; returns whether the worker has to be woken, or nil if the error was dropped.
    @discardableResult
    func post(_ number: Int, line: UInt = 1, at moment: Duration = .zero, isWaitedFor: Bool = false) -> Bool? {
        switch reserve(for: Numbered(number)) {
        case .accepted(let place):
            let posting = IntakeBox.posting(Numbered(number), line: line, at: moment, isWaitedFor: isWaitedFor)
            return fill(place, with: posting) == .filledForSleeper
        case .full(let makesNotice):
            if makesNotice { _ = storage.intake.announceDrops(at: .init()) }
            return nil
        case .closed:
            return nil
        }
    }

    // MARK: The worker

    /// Asks what the worker of a generation does next, and carries it out; a worker that notified has done so.
    func next(_ generation: UInt64 = 0, at now: Duration = .zero) -> Event {
        carryOut(storage.perform { $0.next(for: generation, $1) }, generation, at: now)
    }

    private func carryOut(_ action: WorkerAction, _ generation: UInt64, at now: Duration) -> Event {
        switch action {
        case .deliver(let delivery):
            return begin(delivery, from: DispatchProgress())
        case .goOn(let delivery, let progress):
            return begin(delivery, from: progress)
        case .fingerprint(let delivery):
            self.delivery = stopsUnadmitted ? delivery : nil
            if stopsUnadmitted { return .unadmitted }
            let token = Self.token(of: delivery.posting)
            var suppressed: Posting?
            let action = storage.perform { $0.admit(token, for: generation, suppressing: &suppressed, $1) }
            return carryOut(action, generation, at: now)
        case .held(let promise):
            promise.fulfill(.pending)
            return next(generation, at: now)
        case .flushed(let promises):
            for promise in promises { promise.fulfill(true) }
            return next(generation, at: now)
        case .wait:
            let action = storage.perform { $0.next(for: generation, after: .waitedUntil(now), $1) }
            return carryOut(action, generation, at: now)
        case .sleep(let alarm):
            self.alarm = alarm
            return .asleep
        case .end:
            return .end
        case .stop:
            storage.freeAbandoned(by: generation)
            return .superseded
        }
    }

    private func begin(_ delivery: Delivery, from progress: DispatchProgress) -> Event {
        let posting = delivery.posting
        let report = posting.report(sequence: delivery.sequence)
        (self.delivery, self.progress, self.report) = (delivery, progress, report)
        isWaitedFor = posting.isWaitedFor
        return Self.event(of: report)
    }

    /// Completes the worker's report, and carries out what follows.
    ///
    /// - Parameter isObserved: Whether anyone has to be notified of it, apart from the poster.
    func complete(
        _ disposition: HandleOutcome.Disposition = .handled, failures: [ActionFailure] = [], isObserved: Bool,
        generation: UInt64 = 0, at now: Duration = .zero
    ) -> Event {
        let result = result(disposition, failures)
        let completion = storage.perform {
            $0.complete(
                result.place.disposition, result.failures, for: generation,
                isObserved: isObserved, $1)
        }
        switch completion {
        case .goOn(let action):
            _ = delivery.take().map { storage.take($0) }
            return carryOut(action, generation, at: now)
        case .notify:
            let isActionFailure = delivery.take().map { storage.take($0).isActionFailure } ?? false
            return .notifies(isActionFailure ? (result.failures ?? []).map(Self.event(of:)) : [])
        case .stop:
            return .superseded
        }
    }
}
