import ErrorRouting
import Synchronization

/// Ends the tasks of a bus, and counts the tasks that a time limit cuts off, for the last log entry.
final class CutOffTasks: Sendable {
    private let isCounting = Atomic(false)
    private let number = Atomic(0)

    /// Lets the tasks end within a limit, and then cancels them.
    func cancelTasks(of bus: ErrorBus, after limit: Duration) async {
        beginToCount(on: bus)
        await bus.cancelTasks(after: limit)
    }

    /// Cancels the tasks immediately, because the group's task was cancelled.
    func cancelTasks(of bus: ErrorBus) async {
        beginToCount(on: bus)
        await bus.cancelTasks(after: .zero, waitingUpTo: .seconds(5))
    }

    /// Counts a report of a task that was cut off.
    func count(_ report: ErrorReport) {
        if report.error is TaskCutOff { number.wrappingAdd(1, ordering: .relaxed) }
    }

    /// The string to append to the counts in the last log entry; empty if no task was cut off.
    var text: String {
        let number = number.load(ordering: .relaxed)
        return number == 0 ? "" : "; tasks cut off: \(number)"
    }

    /// Observes the bus, starting with the first call: tasks aren't cut off before that, and an observer adds a cost to
    /// each report.
    private func beginToCount(on bus: ErrorBus) {
        if isCounting.exchange(true, ordering: .relaxed) { return }
        bus.observeUntilEnd { [weak self] in self?.count($0) }
    }
}
