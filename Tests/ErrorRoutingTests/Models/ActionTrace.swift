import ErrorRouting
import Synchronization

/// What actions did, in the order in which they did it.
///
/// ```swift
/// .on(PaymentError.self) { _ in trace("payment", .stop) }
/// ```
final class ActionTrace: Sendable {
    private let notes = Mutex<[String]>([])

    var entries: [String] { notes.withLock { $0 } }

    /// Notes that an action ran, and returns what the action shall return.
    func callAsFunction(_ note: String, _ strategy: HandleStrategy = .next) -> HandleStrategy {
        notes.withLock { $0.append(note) }
        return strategy
    }

    /// The entries so far; the trace begins anew.
    func takeAll() -> [String] {
        notes.withLock { notes in
            defer { notes = [] }
            return notes
        }
    }
}
