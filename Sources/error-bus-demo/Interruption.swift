import Foundation
import Synchronization

/// Ends the program in good order on Ctrl-C or SIGTERM, at any moment.
///
/// Few calls are allowed in a signal handler. This one notes the signal and wakes a thread, which calls the program's
/// closure. Dispatch's signal sources need the signal to be ignored, and would lose signals before they are set up.
enum Interruption {
    /// How long the program may take to end; after that, another signal ends it at once.
    static let patience = Duration.seconds(3)

    /// The first signal; 0 while there was none.
    private static let first = Atomic<Int32>(0)
    private static let status = Atomic(ExitStatus.success.rawValue)
    private static let isLeaving = Atomic(false)
    /// The pipe that wakes the thread: the thread reads from one end, and the handler writes to the other.
    private static let reading = Atomic<Int32>(-1)
    private static let writing = Atomic<Int32>(-1)

    /// Begins to note signals; called first in `main`.
    static func begin() {
        var ends: [Int32] = [-1, -1]
        // Without a pipe the handlers are not set, so that signals end the program as usual.
        guard unsafe pipe(&ends) == 0 else { return }
        // The handler must not block when the pipe is full.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        reading.store(ends[0], ordering: .relaxed)
        writing.store(ends[1], ordering: .relaxed)
        // Static properties are initialised at their first use, which must not be in the handler.
        _ = (first.load(ordering: .relaxed), status.load(ordering: .relaxed), isLeaving.load(ordering: .relaxed))
        // `atexit` runs the function registered first as the last one.
        atexit { Interruption.leave() }
        for number in [SIGINT, SIGTERM] {
            signal(number) { Interruption.note($0) }
        }
    }

    /// Calls `onInterrupt` on a thread of its own when the first signal comes, or at once if it has come already.
    ///
    /// Further signals are ignored for the time of `patience`. After that, if the program has not ended (it may block
    /// because nobody reads its output), a signal calls `onImpatience` and ends the process at once.
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

    /// Ends the program with a status; if that is success and a signal has come, with the signal's status.
    static func end(with status: ExitStatus) -> Never {
        Self.status.store(status.rawValue, ordering: .relaxed)
        // `exit` runs the functions registered with `atexit`, and `leave` as the last of them.
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

    /// Ends the process with `_exit`: abandoned transfers may still run, and their threads would use objects that
    /// `exit` destroys.
    ///
    /// A signal is either noted before this function reads `first`, or its handler sees `isLeaving` and leaves itself.
    private static func leave() -> Never {
        isLeaving.store(true, ordering: .sequentiallyConsistent)
        let first = first.load(ordering: .sequentiallyConsistent)
        let status = status.load(ordering: .relaxed)
        _exit(status == ExitStatus.success.rawValue && first != 0 ? 128 + first : status)
    }
}
