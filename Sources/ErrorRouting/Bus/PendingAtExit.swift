import Foundation
import StandardErrorWriter
import Synchronization

/// The buses of the process; at the process's end, each bus writes its pending reports to its last resort.
///
/// A bus has pending reports then if it never ran, or if the process called `exit` inside a body.
enum PendingAtExit {
    /// A bus, not retained; safe, because it is removed when its deinitializer begins and read only under the lock.
    @safe private struct Entry {
        private let bus: Unmanaged<ErrorBus>

        init(_ bus: ErrorBus) { unsafe self.bus = .passUnretained(bus) }

        /// The bus's pending reports, which the bus no longer holds; nil if it has none.
        ///
        /// The bus is retained until the process ends, if that is still possible: releasing its last reference here
        /// would wait for the lock. If the bus's deinitializer has begun, there is no weak reference to it, and
        /// retaining it would stop the program.
        func takePending() -> PendingReports? {
            unsafe bus._withUnsafeGuaranteedRef { bus in
                weak let living = bus
                if let living { _ = unsafe Unmanaged.passRetained(living) }
                return bus.takePendingAtExit()
            }
        }
    }

    /// The buses by number.
    private static let buses = Locked<[UInt64: Entry]>([:])
    /// After how many bytes no further report is written.
    private static let byteLimit = 1 << 20
    /// How many bytes that standard error hasn't accepted yet are left to its writer.
    fileprivate static let mostBuffered = 1 << 16

    private static let registerHandler: Void = {
        StandardError.noteDescriptor()
        atexit { PendingAtExit.write() }
    }()

    /// Adds an initialized bus.
    static func add(_ bus: ErrorBus) {
        registerHandler
        buses.withLock { $0[bus.number] = Entry(bus) }
    }

    /// Removes a bus when its deinitializer begins; waits while the exit handler reads the bus.
    static func remove(_ bus: ErrorBus) { buses.withLock { $0[bus.number] = nil } }

    /// Writes the pending reports, and then a line with the counts of each bus.
    ///
    /// The reports are described by another thread, because their descriptions and the last resort are user code. This
    /// waits for it until the exit handlers' time is over.
    private static func write() {
        // A forked process has copies of its parent's reports, which the parent delivers or writes itself.
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

    /// Takes what each bus holds; nothing if a thread, which might be stopped, doesn't release the lock.
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

/// The reports that a bus held when the process ended.
private final class PendingReports: Sendable {
    private let left: BusStateMachine.Leftovers?
    private let lastResort: LastResort
    /// The number of pending reports, as far as it is known.
    private let count: Int64
    private let counts: ErrorBus.Statistics?
    private let written = Atomic<Int64>(0)

    /// - Parameters:
    ///   - left: The reports; nil if a stopped thread holds the bus's lock.
    ///   - lastResort: Where they are written.
    ///   - count: The number of pending reports.
    ///   - counts: The bus's counts, if they are known.
    init(
        _ left: BusStateMachine.Leftovers?, to lastResort: LastResort, count: Int64, counts: ErrorBus.Statistics? = nil
    ) {
        (self.left, self.lastResort, self.count, self.counts) = (left, lastResort, count, counts)
    }

    /// Writes the reports while there is time and room.
    ///
    /// - Parameter room: How many bytes may still be written.
    func write(_ room: inout Int) {
        guard let left else { return }
        for failure in left.failures { lastResort.write(failure) }
        for (posting, sequence) in left.postings where room > 0 && StandardError.hasTimeForLinesAtExit {
            room -= lastResort.write(
                posting.report(sequence: sequence), because: "the process ended before it was delivered")
            written.wrappingAdd(1, ordering: .relaxed)
            // Lines that nobody reads in time would be counted as written, and would delay the bus's line.
            while StandardError.pendingCount > PendingAtExit.mostBuffered, StandardError.hasTimeForLinesAtExit {
                usleep(1_000)
            }
        }
    }

    /// The bus's line.
    var line: String {
        let missing = count - written.load(ordering: .relaxed)
        let note = left == nil ? " or more" : missing > 0 ? ", \(missing) of which aren't written here" : ""
        return "error-bus: the process ended while a bus had \(count) pending\(note)\(counts.map { ": \($0)" } ?? "")"
    }
}

extension ErrorBus {
    /// Takes the pending reports if the process ends now; nil if nothing is pending.
    ///
    /// If a stopped thread holds the bus's lock, there is only the intake's count.
    fileprivate func takePendingAtExit() -> PendingReports? {
        guard let (counts, left) = storage.abortIfUnlocked() else {
            let count = storage.pendingAtLeast
            return count > 0 ? PendingReports(nil, to: lastResort, count: count) : nil
        }
        // An error that was posted between the two reads is only in the second one.
        let count = max(Int64(counts.pending), Int64(left?.postings.count ?? 0))
        return count == 0 ? nil : PendingReports(left, to: lastResort, count: count, counts: counts)
    }
}
