import ErrorRouting

/// An error that says which one it is.
struct Numbered: Error, Hashable {
    let number: Int

    init(_ number: Int) { self.number = number }
}

/// What happened, in order, from whichever thread.
final class Journal<Entry: Sendable>: Sendable {
    private let storage = Locked<[Entry]>([])

    var entries: [Entry] { storage.withLock { $0 } }

    func note(_ entry: Entry) { storage.withLock { $0.append(entry) } }

    func clear() { storage.withLock { $0 = [] } }
}

extension AsyncSequence where Failure == Never {
    /// Everything up to the end.
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
}
