public import ErrorRouting

/// Writes reports as lines of JSON to files that outlive the process.
///
/// ```swift
/// import ErrorRecording
/// import ErrorRouting
///
/// func serve(_ rules: ErrorHandler) async throws {
///     let recorder = try ErrorRecorder(path: "/var/log/orders/errors.jsonl")  // where that folder is
///     await withErrorBus(handler: rules, asRoot: true) { bus in
///         bus.observeUntilEnd { report in recorder.record(report) }
///         // …
///     }
///     print(await recorder.close(within: .seconds(2)))
/// }
/// ```
///
/// Recording adds a report to a queue and never waits. The recorder's own thread reads the errors' texts, redacts the
/// records, and writes them. It never posts to a bus. Lost reports are counted in ``statistics``, and show in the files
/// as missing numbers.
///
/// The recorder renames a file that would grow too large: `errors.jsonl` to `errors.jsonl.1`, that to `errors.jsonl.2`,
/// and so on; it deletes the oldest. It also deletes files from an earlier, larger ``Configuration/fileCount``, when it
/// is created and when it renames a file.
///
/// Before it writes, the recorder checks whether the path still leads to the open file, through all links. If it
/// doesn't, because the file was deleted or renamed, or because a link such as `current` has a new target, the recorder
/// opens or creates the file at the path. If that fails, it continues with the open file, which it then doesn't rename.
/// If the open file was deleted, lines fail until the path can be opened again.
///
/// Any number of recorders, in any processes of the machine, can write to one path. Each writes under a lock on the
/// file. If a process is stopped (`SIGSTOP`) in the middle of a write, the other recorders can't write, and their
/// queues fill. All recorders of a path need the same ``Configuration/fileCount``: the one with the smallest number
/// deletes the others' files. Programs that keep different numbers of files need different paths.
///
/// The process might be allowed to append to a file but not to read it (mode 0200). Then the recorder can't tell
/// whether the file ends with a whole line, so it begins with a newline. Readers skip the blank line.
///
/// The path can also be that of a pipe. While the pipe is full, the thread waits for its reader, and the queue fills;
/// without a reader, lines fail. A path can name a descriptor of the process, such as `/dev/stdout` or `/dev/fd/3`.
/// Then the recorder keeps writing to the file, pipe, or terminal that the descriptor referred to at the start. Its
/// lines appear among the program's other output, and the recorder neither renames nor truncates that file. In a pipe,
/// a line of more than `PIPE_BUF` bytes (4 KiB on Linux, 512 on Apple's platforms) might be interleaved with the output
/// of other writers.
///
/// If the process exits normally, because `main` returns or something calls `exit`, the recorder still writes as many
/// pending reports as it can within 100 ms. It writes the number of the others to standard error.
///
/// If the process is killed, its pending reports are lost, and at most one line of each file is broken, the last one.
/// The next recorder with that path ends the line, so the lines after it are whole. The recorder doesn't synchronize
/// the file with the disk: a written line survives the end of the process, but might not survive a power failure.
public final class ErrorRecorder: Sendable {
    private let writer: RecordWriter

    /// Opens or creates the file, and starts the thread.
    ///
    /// The owner and the group can read a new file, and the owner can write it (0640).
    ///
    /// - Parameters:
    ///   - path: The path of the file; its folder must exist. A relative path is relative to the folder that is the
    ///     working directory now.
    ///   - configuration: The limits, the names, and the redaction.
    ///   - rebuilding: The types of errors with recorded values, for a `Replay`; none by default.
    /// - Throws: ``CannotOpen``, if the file cannot be opened.
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

    /// Closes the queue; the thread still writes the pending reports.
    deinit { writer.close() }

    /// Adds a report to the queue and returns.
    ///
    /// If the queue is full or the recorder is closed, the report is dropped and counted. The recorder writes reports
    /// in the order in which they were recorded.
    ///
    /// An error's description or `encode(to:)` might itself post an error. The recorder calls both when it writes the
    /// report. It records each error posted this way in turn, one at a time.
    ///
    /// - Parameter report: The report. It need not be delivered: you can record a report that `shutdown` returned.
    /// - Complexity: O(1). Takes one lock and runs no code of the error.
    public func record(_ report: ErrorReport) { writer.record(report) }

    /// The current counts of reports.
    public var statistics: Statistics { writer.statistics }

    /// Accepts no more reports, and waits until the pending reports are written or the limit is reached.
    ///
    /// After the limit, the thread continues to write for as long as the process lives. Cancelling the calling task
    /// doesn't shorten the wait. To wait again, close the recorder again.
    ///
    /// - Parameter limit: How long to wait.
    /// - Returns: The statistics; if any report is still pending, the limit was reached.
    @discardableResult
    public func close(within limit: Duration) async -> Statistics {
        writer.close()
        await writer.end(within: limit)
        return statistics
    }
}
