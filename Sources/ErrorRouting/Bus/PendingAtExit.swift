import Foundation
import StandardErrorWriter

/// The buses of the process, each of which writes a line at the process's end if it has pending reports.
///
/// That happens to a bus that nobody ran, or whose process called `exit` inside a body.
enum PendingAtExit {
    /// The buses by their numbers.
    private static let buses = Locked<[UInt64: Weak<ErrorBus>]>([:])

    private static let registerHandler: Void = {
        atexit {
            let lines = living.compactMap(\.lineAtExit)
            if !lines.isEmpty { StandardError.writeAtExit(lines) }
        }
    }()

    /// Adds a bus, once it is initialised.
    static func add(_ bus: ErrorBus) {
        registerHandler
        buses.withLock { $0[bus.number] = Weak(bus) }
    }

    /// Removes a bus, when its deinitializer begins.
    static func remove(_ bus: ErrorBus) { buses.withLock { $0[bus.number] = nil } }

    /// The buses, retained until the process ends, so that none is deallocated here; none if a thread, which may be
    /// stopped, does not release the lock.
    private static var living: [ErrorBus] {
        for _ in 0..<50 {
            if let living = buses.withLockIfAvailable({ $0.values.compactMap(\.object) }) {
                for bus in living { _ = unsafe Unmanaged.passRetained(bus) }
                return living
            }
            usleep(1_000)
        }
        return []
    }
}

extension ErrorBus {
    /// The line to write about the bus if the process ends now; nil if nothing is pending.
    ///
    /// If the bus's lock cannot be had, since a stopped thread holds it, the line has only the intake's count.
    fileprivate var lineAtExit: String? {
        let counts = storage.statisticsIfUnlocked
        let pending = counts.map { Int64($0.pending) } ?? storage.intake.leastPending
        let rest = counts.map { ": \($0)" } ?? " or more"
        return pending > 0 ? "error-bus: the process ended while a bus had \(pending) pending\(rest)" : nil
    }
}
