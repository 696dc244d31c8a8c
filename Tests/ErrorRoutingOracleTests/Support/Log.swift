import ErrorRouting
import TestSupport
import Testing

// These tests use only the public API, so that a change inside the bus can't change them. Only the lines with
// `Locked` use code that the package shares: the thread sanitizer doesn't see the order that a mutex creates.

/// A list that any thread can extend.
final class Log<Entry: Sendable>: Sendable {
    private let list = Locked<[Entry]>([])

    init() {}

    var entries: [Entry] { list.withLock { $0 } }
    var count: Int { entries.count }

    func add(_ entry: Entry) { list.withLock { $0.append(entry) } }

    /// Waits until the list has a number of entries; fails the test if that takes much too long.
    func reaches(
        _ count: Int, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
        column: Int = #column
    ) async {
        await eventually("\(count) entries came", fileID: fileID, filePath: filePath, line: line, column: column) {
            self.count >= count
        }
    }
}

/// An error with a number.
struct Mishap: Error, Hashable, CustomStringConvertible {
    let number: Int

    init(_ number: Int) { self.number = number }

    var description: String { "mishap \(number)" }
}

/// An error that no rule of these tests matches, except in tests that add such a rule.
struct Stray: Error, Hashable {}

/// The counts of a bus at one instant, without the delivery time.
struct Counts: Equatable {
    var posted = 0
    var handled = 0
    var ignored = 0
    var unmatched = 0
    var suppressed = 0
    var dropped = 0
    var pending = 0
    var failures = 0
}

extension Counts {
    init(_ statistics: ErrorBus.Statistics) {
        self.init(
            posted: statistics.posted, handled: statistics.handled, ignored: statistics.ignored,
            unmatched: statistics.unmatched, suppressed: statistics.suppressed, dropped: statistics.dropped,
            pending: statistics.pending, failures: statistics.actionFailures)
    }

    /// Whether every posted error has exactly one outcome or is pending.
    var isBalanced: Bool { posted == handled + ignored + unmatched + suppressed + dropped + pending }
}

extension ErrorBus {
    var counts: Counts { Counts(statistics) }
}

extension ErrorReport {
    /// The error in a few words: a number, `failure of 3`, or `drops 2`, each with the number of merged errors.
    var label: String {
        let text =
            switch error {
            case let error as Mishap: "\(error.number)"
            case let failure as ActionFailure: "failure of \(failure.report.label)"
            case let drops as ErrorsDropped: "drops \(drops.count)"
            default: "\(type(of: error))"
            }
        return occurrences == 1 ? text : "\(text) ×\(occurrences)"
    }
}

extension [ErrorReport] {
    var labels: [String] { map(\.label) }
}

extension AsyncSequence where Failure == Never {
    /// Returns all remaining elements.
    func all() async -> [Element] {
        var elements: [Element] = []
        for await element in self { elements.append(element) }
        return elements
    }
}
