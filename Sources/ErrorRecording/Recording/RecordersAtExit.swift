import ErrorRouting
import Foundation
import StandardErrorWriter

#if canImport(Darwin)
    import Darwin
#endif

/// The recorders of the process, which write their pending reports when the process exits.
///
/// Reports are pending at that time if `main` returns, or the program calls `exit`, before the threads are done.
enum RecordersAtExit {
    /// Contains each writer until its thread ends; the thread also retains it.
    private static let writers = Locked<[ObjectIdentifier: RecordWriter]>([:])

    private static let registerHandler: Void = {
        atexit { RecordersAtExit.finish() }
    }()

    /// Adds a writer; called before its thread starts.
    static func add(_ writer: RecordWriter) {
        registerHandler
        writers.withLock { $0[ObjectIdentifier(writer)] = writer }
    }

    /// Removes a writer; called when its thread ends.
    static func remove(_ writer: RecordWriter) {
        let removed = writers.withLock { $0.removeValue(forKey: ObjectIdentifier(writer)) }
        // Release the writer after unlocking: the configuration might capture an object with a `deinit`.
        withExtendedLifetime(removed) {}
    }

    /// Waits for the threads as long as an exit handler may, and writes a line for each recorder that isn't done.
    private static func finish() {
        guard let writers = writersIfUnlocked else { return }
        while writers.contains(where: { $0.pendingAtExit != 0 }), StandardError.hasTimeAtExit { usleep(1_000) }
        let lines = writers.compactMap(\.lineAtExit)
        if !lines.isEmpty { StandardError.writeAtExit(lines) }
    }

    /// The writers of this process; nil if a thread, which might be stopped, keeps holding the lock.
    ///
    /// A forked process has no writers of its own: the reports are the parent's, and the parent writes them.
    private static var writersIfUnlocked: [RecordWriter]? {
        repeat {
            if let writers = writers.withLockIfAvailable({ Array($0.values) }) {
                return writers.filter { $0.process == getpid() }
            }
            usleep(1_000)
        } while StandardError.hasTimeAtExit
        return nil
    }
}
