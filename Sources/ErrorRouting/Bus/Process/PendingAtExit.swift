import Foundation
import StandardErrorWriter
import Synchronization

/// The buses of the process; when the process exits, each bus writes its pending reports to its last resort.
///
/// A bus still has pending reports at that time if it never ran, or if the process called `exit` inside a body.
enum PendingAtExit {
    /// A bus, not retained; this is safe because its deinitializer first removes it, and it is read only under the
    /// lock.
    @safe private struct Entry {
        private let bus: Unmanaged<ErrorBus>

        init(_ bus: ErrorBus) { unsafe self.bus = .passUnretained(bus) }

        /// Removes and returns the bus's pending reports; nil if it has none.
        ///
        /// If possible, the bus is retained until the process exits, because releasing its last reference here would
        /// wait for the lock. If the bus's deinitializer has begun, weak references to it are nil, and retaining it
        /// would crash.
        func takePending() -> PendingReports? {
            unsafe bus._withUnsafeGuaranteedRef { bus in
                if let living = Weak(bus).object { _ = unsafe Unmanaged.passRetained(living) }
                return bus.takePendingAtExit()
            }
        }
    }

    /// The buses by number.
    private static let buses = Locked<[UInt64: Entry]>([:])
    /// The number of bytes after which no further report is written.
    private static let byteLimit = 1 << 20
    /// The maximum number of bytes that may wait for the writer of standard error.
    fileprivate static let mostBuffered = 1 << 16

    private static let registerHandler: Void = {
        StandardError.noteDescriptor()
        atexit { PendingAtExit.write() }
    }()

    /// Adds a bus, which must be fully initialized.
    static func add(_ bus: ErrorBus) {
        registerHandler
        buses.withLock { $0[bus.number] = Entry(bus) }
    }

    /// Removes a bus when its deinitializer begins; waits while the exit handler is reading the bus.
    static func remove(_ bus: ErrorBus) { buses.withLock { $0[bus.number] = nil } }

    /// Writes the pending reports, and then one line for each bus with its counts.
    ///
    /// Another thread describes the reports, because their descriptions and the last resort are user code. This method
    /// waits for that thread until the time of the exit handlers runs out.
    private static func write() {
        // Skip a forked process: it has copies of its parent's reports, which the parent delivers or writes itself.
        guard StandardError.isOfThisProcess, StandardError.hasTimeForLinesAtExit else { return }
        let pending = takePending()
        if pending.isEmpty { return }
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            var room = byteLimit
            for reports in pending { reports.write(&room) }
            isDone.signal()
        }
        while isDone.wait(timeout: .now() + .milliseconds(1)) == .timedOut, StandardError.hasTimeForLinesAtExit {}
        StandardError.writeAtExit(pending.map(\.line))
    }

    /// Takes the pending reports of each bus; empty if a thread, which might be stopped, doesn't release the lock.
    private static func takePending() -> [PendingReports] {
        for _ in 0..<50 {
            let pending = buses.withLockIfAvailable { buses in
                buses.sorted { $0.key < $1.key }.compactMap { $0.value.takePending() }
            }
            if let pending { return pending }
            usleep(1_000)
        }
        return []
    }
}

/// The reports that a bus held when the process exited.
private final class PendingReports: Sendable {
    private let left: BusStateMachine.Leftovers?
    private let lastResort: LastResort
    /// The number of pending reports; if a stopped thread holds the bus's lock, there might be more.
    private let count: Int64
    private let counts: ErrorBus.Statistics?
    private let written = Atomic<Int64>(0)

    /// Creates the pending reports of a bus; they and the counts are nil if a stopped thread holds the bus's lock.
    init(
        _ left: BusStateMachine.Leftovers?, to lastResort: LastResort, count: Int64, counts: ErrorBus.Statistics? = nil
    ) {
        (self.left, self.lastResort, self.count, self.counts) = (left, lastResort, count, counts)
    }

    /// Writes the reports while time and room are left; `room` is the number of bytes that can still be written.
    func write(_ room: inout Int) {
        guard let left else { return }
        for failure in left.failures { lastResort.write(failure) }
        for index in left.postings.indices where room > 0 && StandardError.hasTimeForLinesAtExit {
            room -= lastResort.write(left.report(at: index), because: "the process ended before it was delivered")
            written.wrappingAdd(1, ordering: .relaxed)
            // Wait for the writer: lines that aren't accepted in time would count as written and would delay the bus's
            // line.
            while StandardError.pendingCount > PendingAtExit.mostBuffered, StandardError.hasTimeForLinesAtExit {
                usleep(1_000)
            }
        }
    }

    /// The line about the bus.
    var line: String {
        let missing = count - written.load(ordering: .relaxed)
        let note = left == nil ? " or more" : missing > 0 ? ", \(missing) of which aren't written here" : ""
        return "error-bus: the process ended while a bus had \(count) pending\(note)\(counts.map { ": \($0)" } ?? "")"
    }
}

extension ErrorBus {
    /// Takes the pending reports when the process exits; nil if there are none.
    ///
    /// If a stopped thread holds the bus's lock, only the intake's count is available.
    fileprivate func takePendingAtExit() -> PendingReports? {
        guard let (counts, left) = storage.applyIfUnlocked({ ($0.statistics, $0.abort()) }) else {
            let count = storage.intake.accepted - storage.intake.released
            return count > 0 ? PendingReports(nil, to: lastResort, count: count) : nil
        }
        // Use the larger number: an error that was posted between the two reads is included only in the second.
        let count = max(Int64(counts.pending), Int64(left?.postings.count ?? 0))
        return count == 0 ? nil : PendingReports(left, to: lastResort, count: count, counts: counts)
    }
}
