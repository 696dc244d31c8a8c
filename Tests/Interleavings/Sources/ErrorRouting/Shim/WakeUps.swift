import Exploration

/// Replaces the library's `WakeUps` and wakes a thread instead of a task.
struct WakeUps: Sendable {
    private final class Event: Sendable {}

    private let event = Event()

    private var address: UInt { Borrowed(event).address }

    func signal(file: StaticString = #fileID, line: UInt = #line) {
        Explorer.active?.signal(address, at: Site(file, line))
    }

    func end(file: StaticString = #fileID, line: UInt = #line) { signal(file: file, line: line) }

    /// Sleeps until the next wake-up.
    func waitInThread(file: StaticString = #fileID, line: UInt = #line) {
        Explorer.active?.wait(for: address, at: Site(file, line))
    }

    func wait() async { fatalError("no scenario has a task") }
}
