import BoundedDescriptions
import Dispatch
import ErrorRouting
import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// A recorder's queue, and the thread that writes its reports to the file.
///
/// Recording only adds to the queue, and the lock is held only as long as that takes. The thread reads the errors'
/// strings and values, calls the redaction, and writes. It does all of that without holding a lock that another thread
/// takes.
final class RecordWriter: Sendable {
    private typealias Queue = RecorderQueue<ErrorReport>

    private struct State {
        var queue: Queue
        var clock = WallClock(.now)
        /// The callers that wait for the thread to end, by number.
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter = 0
    }

    private let state: Locked<State>
    /// Used only by the thread.
    private let file: Locked<RecordFile?>
    private let wakeUp = DispatchSemaphore(value: 0)
    private let origin: RecordOrigin
    private let rebuilding: RebuildableErrors
    private let redact: @Sendable (ErrorRecord) -> ErrorRecord
    private let lineSize: Int
    /// The path as it was passed to the recorder, for the line that is written when the process exits.
    private let path: String

    init(
        _ file: consuming sending RecordFile,
        path: String,
        _ configuration: ErrorRecorder.Configuration,
        rebuilding: RebuildableErrors
    ) {
        self.file = Locked(file)
        state = Locked(State(queue: Queue(capacity: configuration.capacity)))
        origin = RecordOrigin(configuration)
        redact = configuration.redact
        lineSize = configuration.lineSize
        self.path = path
        self.rebuilding = rebuilding
    }

    var statistics: ErrorRecorder.Statistics { state.withLock { $0.queue.statistics } }

    /// Adds a report to the queue; any thread can call it.
    ///
    /// The clocks are read for each report, because one reading per batch would place a change of the wall clock before
    /// or after the whole batch instead of between two of its reports. The thread computes the times from these
    /// readings.
    func record(_ report: ErrorReport) {
        let reading = WallClock.Reading.now
        let wakes = state.withLock { state in
            state.clock.check(reading)
            return state.queue.record(report)
        }
        if wakes { wakeUp.signal() }
    }

    /// Stops accepting reports.
    ///
    /// The thread ends when it has written all queued reports.
    func close() {
        if state.withLock({ $0.queue.close() }) { wakeUp.signal() }
    }

    /// Waits until the thread has written everything or the limit expires.
    func end(within limit: Duration) async {
        await withCheckedContinuation { continuation in
            let waiter: Int? = state.withLock { state in
                if state.queue.hasEnded { return nil }
                state.lastWaiter += 1
                state.waiters[state.lastWaiter] = continuation
                return state.lastWaiter
            }
            guard let waiter else { return continuation.resume() }
            // Use a Dispatch timer instead of a task, so that cancelling the caller doesn't shorten the time. The block
            // captures `self` weakly, because it stays scheduled even if the thread ends earlier.
            DispatchQueue.global().asyncAfter(deadline: .after(limit)) { [weak self] in
                self?.state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume()
            }
        }
    }

    // MARK: Process exit

    /// The ID of the process in which the thread runs.
    var process: Int32 { Int32(origin.process) }

    /// The number of pending reports; nil if another thread holds the lock, because that thread might be stopped.
    var pendingAtExit: Int? { state.withLockIfAvailable { $0.queue.statistics.pending } }

    /// The line to write about the recorder when the process exits; nil if there are no pending reports.
    var lineAtExit: String? {
        let statistics = state.withLockIfAvailable { $0.queue.statistics }
        if let statistics, statistics.pending == 0 { return nil }
        let counts = statistics.map { "\($0.pending) pending: \($0)" } ?? "reports pending"
        return "error-bus: the process ended while the recorder of \(OneLine.escaped(path)) had \(counts)"
    }

    // MARK: The thread

    /// Starts the thread.
    ///
    /// The thread blocks all signals except those that an instruction raises. So the program's signal handlers run on
    /// the program's own threads, and neither a pipe without a reader (`SIGPIPE`) nor a file size limit (`SIGXFSZ`)
    /// terminates the process. On Apple's platforms, both signals go to the whole process. There, ``RecordFile``
    /// prevents the first signal, but the second isn't prevented.
    func start() {
        RecordersAtExit.add(self)
        var blocked = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&blocked)
        for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] { unsafe sigdelset(&blocked, signal) }
        unsafe pthread_sigmask(SIG_SETMASK, &blocked, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        Thread.detachNewThread { self.run() }
    }

    private func run() {
        while true {
            var batch: [Queue.Entry] = []
            let (step, clock) = state.withLock { ($0.queue.next(&batch), $0.clock) }
            switch step {
            case .write:
                #if canImport(ObjectiveC)
                    autoreleasepool { write(&batch, clock) }
                #else
                    write(&batch, clock)
                #endif
            case .sleep:
                wakeUp.wait()
            case .end:
                file.withLock { $0 = nil }
                let waiters = state.withLock { state in
                    defer { state.waiters = [:] }
                    return state.waiters
                }
                for waiter in waiters.values { waiter.resume() }
                return RecordersAtExit.remove(self)
            }
        }
    }

    /// Writes a whole batch and removes each report from it, so that a report is released when it is no longer pending.
    private func write(_ batch: inout [Queue.Entry], _ clock: WallClock) {
        var chunk = LineChunk()
        batch.reverse()
        while let entry = batch.popLast() {
            let record = ErrorRecord(
                entry.element, from: origin, time: clock.time(of:), sequence: entry.number,
                rebuilding: rebuilding)
            chunk.append(RecordLine(redact(record), limit: lineSize))
            guard chunk.isFull || batch.isEmpty else { continue }
            let written = file.withLock { $0?.append(chunk) ?? 0 }
            let failed = chunk.count - written
            state.withLock { $0.queue.finished(written: written, failed: failed) }
            chunk.removeAll()
        }
    }
}

extension RecordOrigin {
    private static let lastStart = Locked<Int64>(0)

    fileprivate init(_ configuration: ErrorRecorder.Configuration) {
        let now = Timestamp.now
        // Advance the start, so that two recorders of a process never have the same start.
        let start = Self.lastStart.withLock { last in
            last = max(now, last + 1)
            return last
        }
        self.init(
            host: OneLine.escaped(configuration.host),
            service: OneLine.escaped(configuration.service),
            release: configuration.release.map(OneLine.escaped),
            process: Int(ProcessInfo.processInfo.processIdentifier),
            start: Timestamp.text(ofMicroseconds: start)
        )
    }
}
