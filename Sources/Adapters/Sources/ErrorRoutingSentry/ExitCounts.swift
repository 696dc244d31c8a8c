import Foundation
import Synchronization

/// Writes the counts of sinks that weren't closed to standard error when the process exits.
enum ExitCounts {
    private struct Weak {
        weak var sink: SentrySink?
    }

    private struct State {
        var isRegistered = false
        var sinks: [Weak] = []
    }

    private static let state = Mutex(State())

    static func add(_ sink: SentrySink) {
        state.withLock { state in
            state.sinks.removeAll { $0.sink == nil }
            state.sinks.append(Weak(sink: sink))
            if !state.isRegistered { atexit { ExitCounts.write() } }
            state.isRegistered = true
        }
    }

    static func remove(_ sink: SentrySink) {
        state.withLock { $0.sinks.removeAll { $0.sink == nil || $0.sink === sink } }
    }

    private static func write() {
        // Retain the sinks until the lock is released, because releasing a sink might run code that takes it.
        let sinks = state.withLock { $0.sinks.compactMap(\.sink) }
        for statistics in sinks.map(\.statistics) where statistics.pending > 0 || statistics.lost > 0 {
            // Stop if writing would block: a pipe without a reader must not keep the process from exiting.
            var standardError = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
            guard unsafe poll(&standardError, 1, 0) == 1 else { return }
            let line = Array("Sentry, at exit: \(statistics)\n".utf8)
            _ = unsafe line.withUnsafeBytes { unsafe Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count) }
        }
    }
}
