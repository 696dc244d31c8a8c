import Exploration

/// An object that counts its live instances.
final class Counted: Sendable {
    nonisolated(unsafe) private static var count = 0

    /// Whether all instances are released.
    static var areReleased: Bool { unsafe count == 0 }

    init() { unsafe Self.count += 1 }
    deinit { unsafe Self.count -= 1 }
}

/// The errors that scenarios post.
struct Numbered: Error {
    let number: Int
    let retained = Counted()
}

/// The outcomes of the errors of one execution.
///
/// It doesn't need a lock, because a scenario's threads run one at a time.
final class Ledger: @unchecked Sendable {
    nonisolated(unsafe) private static var current = Ledger()

    /// The ledger to which the rules below write.
    static var now: Ledger {
        get { unsafe current }
        set { unsafe current = newValue }
    }

    /// The errors that the bus accepted, which were therefore pending after their post.
    var pending: [Int] = []
    var (handled, returned, written): ([Int], [Int], [Int]) = ([], [], [])
    /// The number of errors that the handled reports represent.
    var occurrences = 0
    /// The number of drops in each notice that was handled or returned, by the notice's number.
    var (handledDrops, returnedDrops): ([UInt64: Int], [UInt64: Int]) = ([:], [:])
    var writtenDrops = 0

    /// The number of all reported drops; a notice that was both handled and returned counts once.
    var drops: Int {
        handledDrops.merging(returnedDrops) { handled, _ in handled }.values.reduce(0, +) + writtenDrops
    }

    /// Rules that record their errors.
    ///
    /// They are created once, so that their tables are in the same state as those of a long-running bus.
    static let rules = ErrorHandler()
        .on(Numbered.self) { error, report in
            now.handled.append(error.number)
            now.occurrences += report.occurrences
            return .stop
        }
        .on(ErrorsDropped.self) { drops, report in
            now.handledDrops[report.sequence, default: 0] += drops.count
            return .stop
        }

    /// A last resort that records the errors of the reports that it redacts, and that doesn't write output.
    static let lastResort = LastResort { _ in }.redacting { report in
        if let error = report.error as? Numbered { now.written.append(error.number) }
        if let drops = report.error as? ErrorsDropped { now.writtenDrops += drops.count }
        return ""
    }

    func noteReturned(_ reports: [ErrorReport]) {
        for report in reports {
            if let error = report.error as? Numbered { returned.append(error.number) }
            if let drops = report.error as? ErrorsDropped { returnedDrops[report.sequence, default: 0] += drops.count }
        }
    }

    /// Checks that each error has exactly one outcome.
    func check(posted: Int) {
        expect(Set(handled).count == handled.count, "handled twice: \(handled)")
        expect(Set(returned).count == returned.count, "returned twice: \(returned)")
        expect(
            Set(handled).union(returned) == Set(pending), "pending \(pending), handled \(handled), returned \(returned)"
        )
        let ends = pending.count + written.count + drops
        expect(ends == posted, "\(posted) were posted, but \(ends) ended: \(written) written, \(drops) dropped")
    }
}

/// Fails the schedule unless a condition holds.
func expect(_ condition: @autoclosure () -> Bool, _ text: @autoclosure () -> String) {
    if !condition() { fail(text()) }
}

/// Fails the schedule, in one of its threads or after they have finished.
func fail(_ text: String) { Explorer.exploring?.fail(text) }

/// Waits for a condition that reads the threads' shared state.
func wait(until condition: @escaping () -> Bool) { Explorer.active?.wait(until: condition) }
