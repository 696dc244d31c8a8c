import TestSupport
import Testing

@testable import ErrorRouting

/// A bus's storage that a test drives event by event, from one thread.
///
/// It performs the storage's actions, makes them comparable, and doesn't make decisions.
final class DrivenStorage {
    /// An output of the bus, in a comparable form.
    enum Event: Equatable {
        case error(Int, occurrences: Int)
        case drops(ErrorsDropped)
        /// An action's failure, by the number of its error; nil if it took too long.
        case failure(Int?)
        /// Every waiting caller must be notified; no other code reports these failures.
        case notifies([Event])
        case asleep, end, stop
    }

    let storage: BusStorage
    /// Whether there are observers of the reports.
    var isObserved = false
    /// The report delivered last.
    private(set) var report: ErrorReport?
    /// Whether a caller waits for the report delivered last.
    private(set) var isWaitedFor = false
    /// The failures of the report's actions.
    var failures: [ActionFailure] = []
    /// Whether the worker is notifying observers.
    private(set) var isNotifying = false
    /// The time at which the worker must be woken, set when it last went to sleep.
    private(set) var alarm: Duration?

    init(capacity: Int = 8, flood: FloodLimit? = nil) {
        storage = BusStorage(capacity: capacity, floodLimit: flood)
        expect(storage.apply { $0.run() }, equals: true)
    }

    var statistics: ErrorBus.Statistics { storage.apply { $0.statistics } }

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

    /// Posts completely.
    ///
    /// Returns whether the worker must be woken, or nil if the error was dropped.
    @discardableResult
    func post(_ number: Int, line: UInt = 1, at time: Duration = .zero, isWaitedFor: Bool = false) -> Bool? {
        switch reserve(for: Numbered(number)) {
        case .accepted(let position):
            let posting = IntakeBox.posting(Numbered(number), line: line, at: time, isWaitedFor: isWaitedFor)
            return fill(position, with: posting) == .filledForSleeper
        case .full(let makesNotice):
            if makesNotice { _ = storage.apply { $0.announceDrops(at: .init()) } }
            return nil
        case .closed:
            return nil
        }
    }

    // MARK: The worker

    /// Performs the worker's next step.
    ///
    /// If the worker was notifying observers, it has finished that.
    func next(at now: Duration = .zero) -> Event {
        isNotifying = false
        return carryOut(storage.apply { $0.next() }, at: now)
    }

    private func carryOut(_ action: BusStateMachine.WorkerAction, at now: Duration) -> Event {
        switch action {
        case .deliver:
            let delivery = storage.delivery
            let report = delivery.posting.report(sequence: delivery.sequence)
            (self.report, failures) = (report, [])
            isWaitedFor = delivery.posting.promise != nil
            return Self.event(of: report)
        case .held(let promise, _):
            promise?.fulfill(.pending)
            return next(at: now)
        case .flushed(let promises):
            for promise in promises { promise.fulfill(true) }
            return next(at: now)
        case .wait:
            return carryOut(storage.apply { $0.next(waitedUntil: now) }, at: now)
        case .sleep(let alarm):
            self.alarm = alarm
            return .asleep
        case .end:
            return .end
        case .stop:
            return .stop
        }
    }

    /// Forgets the report delivered last.
    func forget() { report = nil }

    /// Records that an action of the report in delivery has failed.
    func fail(_ failure: ActionFailure) {
        if storage.apply({ $0.actionFails(failure) }) { failures.append(failure) }
    }

    /// Completes the worker's report and performs the next steps.
    ///
    /// - Parameter isObserved: Whether an observer, apart from the caller, must be notified of it.
    func complete(
        _ decision: Decision = .handled, failures: [ActionFailure] = [], isObserved: Bool,
        at now: Duration = .zero
    ) -> Event {
        for failure in failures { fail(failure) }
        // This observer makes the storage notify observers.
        if isObserved { storage.apply { $0.observers.append(ReportObserver({ _ in }, onEnd: { _ in })) } }
        defer { storage.apply { $0.observers.removeAll() } }
        switch storage.apply({ $0.complete(decision, by: nil) }) {
        case .next(let action, releasing: _):
            return carryOut(action, at: now)
        case .notify(_, of: let posting):
            isNotifying = true
            return .notifies(posting.isActionFailure ? self.failures.map(Self.event(of:)) : [])
        }
    }
}
