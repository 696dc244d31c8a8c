import Foundation
import StandardErrorWriter

/// The buses of the process; at the process's end, each bus with pending reports writes a line.
///
/// A bus has pending reports then if it never ran, or if the process called `exit` inside a body.
enum PendingAtExit {
    /// A bus, not retained; safe, because it is removed when its deinitializer begins and read only under the lock.
    @safe private struct Entry {
        private let bus: Unmanaged<ErrorBus>

        init(_ bus: ErrorBus) { unsafe self.bus = .passUnretained(bus) }

        /// The bus's line, if it has one.
        ///
        /// The bus is retained until the process ends, if that is still possible: releasing its last reference here
        /// would wait for the lock. If the bus's deinitializer has begun, there is no weak reference to it, and
        /// retaining it would stop the program.
        var line: String? {
            unsafe bus._withUnsafeGuaranteedRef { bus in
                weak let living = bus
                if let living { _ = unsafe Unmanaged.passRetained(living) }
                return bus.lineAtExit
            }
        }
    }

    /// The buses by number.
    private static let buses = Locked<[UInt64: Entry]>([:])

    private static let registerHandler: Void = {
        StandardError.noteDescriptor()
        atexit {
            let lines = PendingAtExit.lines
            if !lines.isEmpty { StandardError.writeAtExit(lines) }
        }
    }()

    /// Adds an initialized bus.
    static func add(_ bus: ErrorBus) {
        registerHandler
        buses.withLock { $0[bus.number] = Entry(bus) }
    }

    /// Removes a bus when its deinitializer begins; waits while the exit handler reads the bus.
    static func remove(_ bus: ErrorBus) { buses.withLock { $0[bus.number] = nil } }

    /// A line for each bus with pending reports; empty if a thread, which might be stopped, doesn't release the lock.
    private static var lines: [String] {
        for _ in 0..<50 {
            if let lines = buses.withLockIfAvailable({ $0.values.compactMap(\.line) }) { return lines }
            usleep(1_000)
        }
        return []
    }
}

extension ErrorBus {
    /// The line to write about the bus if the process ends now; nil if nothing is pending.
    ///
    /// If a stopped thread holds the bus's lock, the line has only the intake's count.
    fileprivate var lineAtExit: String? {
        let counts = storage.statisticsIfUnlocked
        let pending = counts.map { Int64($0.pending) } ?? storage.pendingAtLeast
        let rest = counts.map { ": \($0)" } ?? " or more"
        return pending > 0 ? "error-bus: the process ended while a bus had \(pending) pending\(rest)" : nil
    }
}
