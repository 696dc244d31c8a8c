import ErrorRouting
import Foundation
import StandardErrorWriter

#if canImport(Darwin)
    import Darwin
#endif

/// The recorders of the process, which write their pending reports when the process exits.
///
/// Reports are still pending at exit if `main` returns, or the program calls `exit`, before the threads have finished.
enum RecordersAtExit {
    /// The writers whose threads haven't ended; each thread also retains its writer.
    private static let writers = Locked<[ObjectIdentifier: RecordWriter]>([:])

    private static let registerHandler: Void = {
        atexit { RecordersAtExit.finish() }
    }()

    /// Adds a writer before its thread starts.
    static func add(_ writer: RecordWriter) {
        registerHandler
        writers.withLock { $0[ObjectIdentifier(writer)] = writer }
    }

    /// Removes a writer when its thread ends.
    static func remove(_ writer: RecordWriter) {
        let removed = writers.withLock { $0.removeValue(forKey: ObjectIdentifier(writer)) }
        // Release the writer after unlocking, because the configuration might capture an object with a `deinit`.
        withExtendedLifetime(removed) {}
    }

    /// Waits for the threads as long as an exit handler may, and writes a line for each recorder with pending reports.
    private static func finish() {
        guard let writers = writersIfUnlocked else { return }
        while writers.contains(where: { $0.pendingAtExit != 0 }), StandardError.hasTimeAtExit { usleep(1_000) }
        let lines = writers.compactMap(\.lineAtExit)
        if !lines.isEmpty { StandardError.writeAtExit(lines) }
    }

    /// The writers of this process; nil if another thread keeps holding the lock, because that thread might be stopped.
    ///
    /// A forked process doesn't have its own writers: the reports belong to the parent, and the parent writes them.
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
