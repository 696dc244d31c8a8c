import ErrorRouting
import Foundation
import StandardErrorWriter

#if canImport(Darwin)
    import Darwin
#endif

/// The recorders of the process, which still write their pending reports when the process ends.
///
/// They have pending reports then if `main` returns, or the program calls `exit`, before their threads are done.
enum RecordersAtExit {
    /// Each writer is here until its thread ends, which retains it too.
    private static let writers = Locked<[ObjectIdentifier: RecordWriter]>([:])

    private static let registerHandler: Void = {
        atexit { RecordersAtExit.finish() }
    }()

    /// Adds a writer, before its thread starts.
    static func add(_ writer: RecordWriter) {
        registerHandler
        writers.withLock { $0[ObjectIdentifier(writer)] = writer }
    }

    /// Removes a writer, when its thread ends.
    static func remove(_ writer: RecordWriter) {
        let removed = writers.withLock { $0.removeValue(forKey: ObjectIdentifier(writer)) }
        // Released after unlocking: what the configuration captures may have a `deinit`.
        withExtendedLifetime(removed) {}
    }

    /// Waits for the threads, as long as exit handlers may, and writes a line for each recorder that is not done.
    private static func finish() {
        guard let writers = writersIfUnlocked else { return }
        while writers.contains(where: { $0.pendingAtExit != 0 }), StandardError.hasTimeAtExit { usleep(1_000) }
        let lines = writers.compactMap(\.lineAtExit)
        if !lines.isEmpty { StandardError.writeAtExit(lines) }
    }

    /// The writers of this process; nil if a thread, which may be stopped, does not release the lock.
    ///
    /// In a forked process the reports are the parent's, which writes them itself.
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
