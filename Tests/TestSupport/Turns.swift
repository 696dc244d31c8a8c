import ErrorRouting
import Foundation

/// Turns for tests: only a limited number of tests run at a time, however many tests Swift Testing starts.
///
/// Tests get their turns in the order in which they wait, so a test that takes all turns isn't overtaken forever.
package final class Turns: Sendable {
    private struct State {
        var free: Int
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// Returns the tests that can run now, and takes their turns.
        mutating func next() -> [CheckedContinuation<Void, Never>] {
            var next: [CheckedContinuation<Void, Never>] = []
            while let first = waiting.first, first.count <= free {
                free -= first.count
                next.append(waiting.removeFirst().continuation)
            }
            return next
        }
    }

    /// Twice the number of cores, because many tests wait for a clock or another process.
    static let ofProcess = Turns(2 * ProcessInfo.processInfo.activeProcessorCount)

    /// The total number of turns.
    let count: Int
    private let state: Locked<State>

    package init(_ count: Int) {
        self.count = count
        state = Locked(State(free: count))
    }

    /// Waits for a number of turns, runs a body, and returns the turns.
    package func taking(_ count: Int, _ body: () async throws -> Void) async rethrows {
        await withCheckedContinuation { continuation in
            resume { $0.waiting.append((count, continuation)) }
        }
        defer { resume { $0.free += count } }
        try await body()
    }

    private func resume(after change: (inout State) -> Void) {
        let next = state.withLock { state in
            change(&state)
            return state.next()
        }
        for continuation in next { continuation.resume() }
    }
}
