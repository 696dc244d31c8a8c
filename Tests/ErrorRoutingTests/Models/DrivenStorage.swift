import TestSupport
import Testing

@testable import ErrorRouting

/// A bus's storage whose events come one by one, from one thread, and whose actions are carried out and can be
/// compared; it decides nothing.
final class DrivenStorage {
    /// An output of the bus, in a comparable form.
    enum Event: Equatable {
        case error(Int, occurrences: Int)
        case drops(ErrorsDropped)
        /// An action's failure, by the number of its error; nil if it took too long.
        case failure(Int?)
        /// Every waiting caller must be notified; nobody else reports these failures.
        case notifies([Event])
        /// The worker has reached a report that a flood limit hasn't admitted yet.
        case unadmitted
        case asleep, end, superseded
    }

    let storage: BusStorage
    /// Whether anyone observes the reports.
    var isObserved = false
    /// Whether the worker must stop at a report that a flood limit has to admit.
    var stopsUnadmitted = false
    /// The report that the worker delivers or has reached.
    private(set) var delivery: Delivery?
    /// The address of that report; 0 if there is none.
    var address: UInt { delivery.map { unsafe UInt(bitPattern: $0.address) } ?? 0 }
    /// Where a worker would begin with the report delivered last.
    private(set) var progress = DispatchProgress()
    /// The report delivered last.
    private(set) var report: ErrorReport?
    /// Whether a caller waits for the report delivered last.
    private(set) var isWaitedFor = false
    /// The next step of a worker that is still notifying observers.
    private var afterNotification: WorkerAction?
    /// The time at which the worker must be woken, set when it last went to sleep.
    private(set) var alarm: Duration?
    let rule = AsynchronousRule(ErrorMatcher<any Error>.any, at: .init()) { _ in .stop }

    init(capacity: Int = 8, limit: Duration? = .seconds(30), flood: FloodLimit? = nil) {
        storage = BusStorage(capacity: capacity, actionTimeLimit: limit, floodLimit: flood)
        expect(storage.perform { $0.run() }, equals: true)
    }

    var statistics: ErrorBus.Statistics { storage.perform { $0.statistics($1) } }

    // MARK: Callers

    func reserve(for error: any Error) -> IntakeBox.Reservation {
        .init(storage.intake, for: error)
    }

    @discardableResult
    func fill(_ position: Int, with posting: Posting) -> IntakeBox.FillResult {
        let answer = storage.intake.mailbox.fill(Int64(position), with: posting)
        if answer == .refused {
            let reclaimed = storage.intake.mailbox.reclaim(Int64(position))
            expect(Self.number(of: reclaimed.error.error), equals: Self.number(of: posting.error.error))
        }
        return answer
    }

    /// Posts from beginning to end; returns whether the worker must be woken, or nil if the error was dropped.
    @discardableResult
    func post(_ number: Int, line: UInt = 1, at moment: Duration = .zero, isWaitedFor: Bool = false) -> Bool? {
        switch reserve(for: Numbered(number)) {
        case .accepted(let position):
            let posting = IntakeBox.posting(Numbered(number), line: line, at: moment, isWaitedFor: isWaitedFor)
            return fill(position, with: posting) == .filledForSleeper
        case .full(let makesNotice):
            if makesNotice { _ = storage.intake.announceDrops(at: .init()) }
            return nil
        case .closed:
            return nil
        }
    }

    // MARK: The worker

    /// Reads and performs the next step of a generation's worker; a worker that notified has done so.
    func next(_ generation: UInt64 = 0, at now: Duration = .zero) -> Event {
        if let action = afterNotification.take() {
            if storage.notificationDidEnd() { return .end }
            if storage.isCurrent(generation) { return carryOut(action, generation, at: now) }
        }
        return carryOut(storage.perform { $0.next(for: generation, $1) }, generation, at: now)
    }

    private func carryOut(_ action: WorkerAction, _ generation: UInt64, at now: Duration) -> Event {
        switch action {
        case .deliver(let delivery):
            return begin(delivery, from: DispatchProgress())
        case .goOn(let delivery, let progress):
            return begin(delivery, from: progress)
        case .computeFloodToken(let delivery):
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
        case .askAgain:
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
            if let delivery = storage.perform({ $0.takeRemoved(by: generation) }) { _ = storage.take(delivery) }
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

    /// Completes the worker's report, and performs the next steps.
    ///
    /// - Parameter isObserved: Whether an observer, apart from the caller, must be notified of it.
    func complete(
        _ disposition: HandleOutcome.Disposition = .handled, failures: [ActionFailure] = [], isObserved: Bool,
        generation: UInt64 = 0, at now: Duration = .zero
    ) -> Event {
        let result = result(disposition, failures)
        var hasToNotify = false
        let action = storage.perform {
            $0.complete(
                result.position.disposition, result.failures, for: generation,
                isObserved: isObserved, notifying: &hasToNotify, $1)
        }
        if case .stop = action { return .superseded }
        let posting = delivery.take().map { storage.take($0) }
        guard hasToNotify else { return carryOut(action, generation, at: now) }
        afterNotification = action
        if case .deliver(let next) = action { delivery = next }
        return .notifies(posting?.isActionFailure == true ? (result.failures ?? []).map(Self.event(of:)) : [])
    }
}
