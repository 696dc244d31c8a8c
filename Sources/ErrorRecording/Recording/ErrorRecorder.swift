public import ErrorRouting

/// Writes reports as JSON Lines to files that outlive the process.
///
/// ```swift
/// import ErrorRecording
/// import ErrorRouting
///
/// func serve(_ rules: ErrorHandler) async throws {
///     let recorder = try ErrorRecorder(path: "/var/log/orders/errors.jsonl")  // the folder must exist
///     await withErrorBus(handler: rules, asRoot: true) { bus in
///         bus.observeUntilEnd { report in recorder.record(report) }
///         // …
///     }
///     print(await recorder.close(within: .seconds(2)))
/// }
/// ```
///
/// Recording adds a report to a queue and never waits. The recorder's own thread reads the error's strings, redacts the
/// record, and writes it. The recorder never posts to a bus. Lost reports are counted in ``statistics``, and appear in
/// the files as missing numbers.
///
/// The recorder rotates a file that would grow too large: it renames `errors.jsonl` to `errors.jsonl.1`, that file to
/// `errors.jsonl.2`, and so on, and deletes the oldest file. When it is created and when it rotates a file, it also
/// deletes files that remain from a larger ``Configuration/fileCount``.
///
/// Before each write, the recorder checks whether the path, including all links, still refers to the open file.
/// It doesn't if the file was deleted or renamed, or if a link such as `current` has a new target. The recorder then
/// opens or creates the file at the path. If that fails, it continues with the open file, which it then doesn't rotate.
/// If the open file was deleted, lines fail until the path can be opened again.
///
/// Any number of recorders, in any processes of the machine, can write to one path. Each recorder writes while it holds
/// a lock on the file. If a process is stopped (`SIGSTOP`) in the middle of a write, the other recorders can't write,
/// and their queues fill. All recorders of a path need the same ``Configuration/fileCount``, because the recorder with
/// the smallest number deletes the others' files. Programs that keep different numbers of files need different paths.
///
/// A process might be allowed to append to a file but not to read it (mode 0200). The recorder then can't determine
/// whether the file ends with a whole line, so it writes a newline first. Readers skip the blank line.
///
/// The path can also be the path of a pipe. While the pipe is full, the thread waits for its reader, and the queue
/// fills. If the pipe doesn't have a reader, lines fail. A path can also be the path of a descriptor of the process,
/// such as `/dev/stdout` or `/dev/fd/3`. The recorder then keeps writing to the file, pipe, or terminal that the
/// descriptor referred to at the start. Its lines appear among the program's other output, and the recorder neither
/// renames nor truncates that file. In a pipe, a line of more than `PIPE_BUF` bytes (4 KiB on Linux, 512 bytes on
/// Apple's platforms) might be interleaved with the output of other writers.
///
/// If the process exits normally, because `main` returns or `exit` is called, the recorder writes as many pending
/// reports as it can within 100 ms. It then writes the number of remaining reports to standard error.
///
/// If the process is killed, its pending reports are lost, and at most one line of each file is broken: the last line.
/// The next recorder with that path terminates the broken line, so later lines are whole. The recorder doesn't
/// synchronize the file with the disk: a written line survives the end of the process, but might not survive a power
/// failure.
public final class ErrorRecorder: Sendable {
    private let writer: RecordWriter

    /// Opens or creates the file, and starts the thread.
    ///
    /// A new file can be read by its owner and group, and written by its owner (0640).
    ///
    /// - Parameters:
    ///   - path: The path of the file, whose folder must exist. A relative path is resolved against the current working
    ///     directory once, now.
    ///   - configuration: The limits, the redaction, and the names.
    ///   - rebuilding: The error types whose values are recorded for a `Replay`; none by default.
    /// - Throws: ``CannotOpen`` if the file can't be opened.
    public init(
        path: String,
        configuration: Configuration = Configuration(),
        rebuilding: RebuildableErrors = RebuildableErrors()
    ) throws(CannotOpen) {
        let policy = LogPolicy(fileSize: configuration.fileSize, fileCount: configuration.fileCount)
        let file = try RecordFile(path: path, policy: policy)
        writer = RecordWriter(file, path: path, configuration, rebuilding: rebuilding)
        writer.start()
    }

    /// Closes the queue, but lets the thread write the pending reports.
    deinit { writer.close() }

    /// Adds a report to the queue and returns.
    ///
    /// If the queue is full or the recorder is closed, the report is dropped and counted. The recorder writes reports
    /// in the order in which they were recorded.
    ///
    /// An error's description or `encode(to:)` might itself post an error. The recorder calls both when it writes the
    /// report, so it records the errors that are posted this way one after another.
    ///
    /// - Parameter report: The report to write. It doesn't have to be delivered: you can record a report that
    ///   `shutdown` returned.
    /// - Complexity: O(1). Takes one lock and doesn't run the error's own code.
    public func record(_ report: ErrorReport) { writer.record(report) }

    /// The current counts of reports.
    public var statistics: Statistics { writer.statistics }

    /// Stops accepting reports, and waits until the pending reports are written or the limit expires.
    ///
    /// After the limit, the thread continues to write as long as the process runs. Cancelling the calling task doesn't
    /// shorten the wait. To wait again, call the method again.
    ///
    /// - Parameter limit: How long to wait.
    /// - Returns: The statistics. If reports are still pending, the limit has expired.
    @discardableResult
    public func close(within limit: Duration) async -> Statistics {
        writer.close()
        await writer.end(within: limit)
        return statistics
    }
}
