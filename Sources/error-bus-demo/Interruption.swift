import Foundation
import Synchronization

/// Ctrl-C, and a supervisor's SIGTERM: either ends the program in good order, at whatever moment it comes.
///
/// A signal handler may do next to nothing. This one notes the signal and wakes a thread, which tells the program.
/// Dispatch's signal sources would need the signal to be ignored, and lose it until they are set up.
enum Interruption {
    /// How long the program may take for its end; after that another signal cuts it short.
    static let patience = Duration.seconds(3)

    /// The signal that came first; 0 so long as none has.
    private static let first = Atomic<Int32>(0)
    private static let status = Atomic(ExitStatus.success.rawValue)
    private static let isLeaving = Atomic(false)
    /// The pipe that wakes the thread: where it reads, and where the handler writes.
    private static let reading = Atomic<Int32>(-1)
    private static let writing = Atomic<Int32>(-1)

    /// Notes signals from here on: the first thing that the program does.
    static func begin() {
        var ends: [Int32] = [-1, -1]
        // Without a pipe signals end the program as usual, which is better than not at all.
        guard unsafe pipe(&ends) == 0 else { return }
        // The handler shall not wait, however many signals nobody has read.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        reading.store(ends[0], ordering: .relaxed)
        writing.store(ends[1], ordering: .relaxed)
        // The handler must not be the first to use them, for they are made at their first use.
        _ = (first.load(ordering: .relaxed), status.load(ordering: .relaxed), isLeaving.load(ordering: .relaxed))
        // Registered first, it runs last.
        atexit { Interruption.leave() }
        for number in [SIGINT, SIGTERM] {
            signal(number) { Interruption.note($0) }
        }
    }

    /// Calls a closure, on a thread of its own, once a signal has come or if one has come already.
    ///
    /// Further signals do nothing while the program ends as it should. Where it cannot (nobody reads its output, say)
    /// one that comes after `patience` ends it at once.
    static func watch(onInterrupt: @escaping @Sendable () -> Void, onImpatience: @escaping @Sendable () -> Void) {
        let descriptor = reading.load(ordering: .relaxed)
        Thread.detachNewThread {
            var begin: ContinuousClock.Instant?
            while true {
                var byte: UInt8 = 0
                guard unsafe read(descriptor, &byte, 1) == 1 else {
                    if errno == EINTR { continue }
                    return
                }
                if let begin {
                    guard ContinuousClock.now - begin >= patience else { continue }
                    onImpatience()
                    leave()
                }
                begin = .now
                onInterrupt()
            }
        }
    }

    /// Ends the program: with a status, or, where all went well and a signal had come, with the signal's.
    static func end(with status: ExitStatus) -> Never {
        Self.status.store(status.rawValue, ordering: .relaxed)
        // It writes what the library has still buffered for standard error, and calls `leave`.
        exit(status.rawValue)
    }

    private static func note(_ number: Int32) {
        let error = errno
        defer { errno = error }
        _ = first.compareExchange(expected: 0, desired: number, ordering: .sequentiallyConsistent)
        if isLeaving.load(ordering: .sequentiallyConsistent) { leave() }
        var byte: UInt8 = 0
        _ = unsafe write(writing.load(ordering: .relaxed), &byte, 1)
    }

    /// Ends the process without another word: transfers that nobody waits for may still run, and their threads would
    /// use what `exit` takes down.
    ///
    /// A signal either has been noted when this looks, or finds that the process is leaving, and leaves itself.
    private static func leave() -> Never {
        isLeaving.store(true, ordering: .sequentiallyConsistent)
        let first = first.load(ordering: .sequentiallyConsistent)
        let status = status.load(ordering: .relaxed)
        _exit(status == ExitStatus.success.rawValue && first != 0 ? 128 + first : status)
    }
}
