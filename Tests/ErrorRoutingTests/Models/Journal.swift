import ErrorRouting
import ErrorRoutingTesting

/// An error with a number.
struct Numbered: Error, Hashable {
    let number: Int

    init(_ number: Int) { self.number = number }
}

/// A list of events, in order, from any thread.
final class Journal<Entry: Sendable>: Sendable {
    private let storage = Locked<[Entry]>([])

    var entries: [Entry] { storage.withLock { $0 } }

    func note(_ entry: Entry) { storage.withLock { $0.append(entry) } }

    func clear() { storage.withLock { $0 = [] } }
}

extension AsyncSequence where Failure == Never {
    /// Returns all remaining elements.
    func collected() async -> [Element] {
        var elements: [Element] = []
        for await element in self { elements.append(element) }
        return elements
    }
}

extension ErrorHandler {
    /// Notes the number of each ``Numbered`` that it handles.
    static func noting(_ journal: Journal<Int>) -> ErrorHandler {
        ErrorHandler().on(Numbered.self) { error in
            journal.note(error.number)
            return .stop
        }
    }

    /// Hangs on each ``Numbered``, or on one number, until a gate opens.
    ///
    /// Another gate signals that it has begun.
    static func hanging(on number: Int? = nil, at gate: Gate, entered: Gate = Gate()) -> ErrorHandler {
        ErrorHandler().on(matching: .type(Numbered.self).where { number == nil || $0.number == number }) { _ in
            entered.open()
            await gate.wait()
            return .stop
        }
    }
}

/// A list of the actions that ran, in order.
///
/// ```swift
/// .on(PaymentError.self) { _ in trace("payment", .stop) }
/// ```
final class ActionTrace: Sendable {
    private let notes = Locked<[String]>([])

    var entries: [String] { notes.withLock { $0 } }

    /// Notes that an action ran, then returns the action's result.
    func callAsFunction(_ note: String, _ strategy: HandleStrategy = .next) -> HandleStrategy {
        notes.withLock { $0.append(note) }
        return strategy
    }

    /// Removes and returns the entries.
    func takeAll() -> [String] {
        notes.withLock { notes in
            defer { notes = [] }
            return notes
        }
    }
}
