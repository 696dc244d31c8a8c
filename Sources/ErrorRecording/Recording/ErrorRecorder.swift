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
/// Recording adds a report to a queue and never waits. A thread of the recorder's own asks the errors for their texts,
/// redacts the records, and writes them. It never posts to a bus: what is lost is counted in ``statistics``, and shows
/// in the files as numbers that are missing.
///
/// A file that would grow too large is renamed: `errors.jsonl` to `errors.jsonl.1`, that to `errors.jsonl.2`, and so
/// on; the oldest is deleted. Files from an earlier, larger ``Configuration/fileCount`` are deleted too, when the
/// recorder is made and when a file is renamed. If the path no longer leads to the file, because it was deleted or
/// renamed, a new one is made. Any number of recorders, in any processes of the machine, may write to one path. Each
/// writes under a lock on the file: a process that is stopped (`SIGSTOP`) in the middle of a write holds up the writing
/// of the others, whose queues fill.
///
/// The path may be that of a pipe. While it is full, the thread waits for its reader, and the queue fills; without a
/// reader, lines fail. A path that means a descriptor of the process, such as `/dev/stdout` or `/dev/fd/3`, leads to
/// what that was when the recorder was made: lines are added to it among the program's other output, and it is neither
/// renamed nor cut. In a pipe, a line of more than `PIPE_BUF` bytes (4 KiB on Linux, 512 on Apple's platforms) may be
/// interleaved with what others write to it.
///
/// If the process ends by itself, because `main` returns or something calls `exit`, pending reports are still written,
/// as many as within 100 ms. The number of the others is written to standard error.
///
/// If the process is killed, pending reports are lost, and at most one line of each file is broken, the last one. The
/// next recorder with that path ends the line, so that the lines after it are whole. Nothing is synchronised with the
/// disk: a line that is written outlives the process, and not a loss of power.
public final class ErrorRecorder: Sendable {
    private let writer: RecordWriter

    /// Opens or makes the file, and starts the thread.
    ///
    /// A new file can be read by its owner and group, and written by its owner (0640).
    ///
    /// - Parameters:
    ///   - path: The path of the file; its folder must exist.
    ///   - configuration: Limits, names, and what is redacted.
    ///   - rebuilding: The types of errors whose values are recorded, for a `Replay`; none by default.
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

    /// What is pending is still written.
    deinit { writer.close() }

    /// Records a report: adds it to the queue, and returns.
    ///
    /// Dropped and counted if the queue is full, or the recorder closed. Reports are written in the order in which they
    /// were recorded.
    ///
    /// An error whose description, or whose `encode(to:)`, posts an error is asked when it is written. What it posts is
    /// recorded in its turn, one at a time.
    ///
    /// - Parameter report: The report, delivered or not: also what `shutdown` could not deliver.
    /// - Complexity: O(1); a lock, and no code of the error's.
    public func record(_ report: ErrorReport) { writer.record(report) }

    /// How many reports were recorded, and what became of them, at this moment.
    public var statistics: Statistics { writer.statistics }

    /// Accepts no more reports, and waits until what is pending is written, at most for the given time.
    ///
    /// After that time the thread goes on writing, for as long as the process lives. The caller's cancellation does not
    /// shorten the time. A recorder may be closed again: that waits again.
    ///
    /// - Parameter limit: How long to wait.
    /// - Returns: The statistics; if something is pending, the time was over.
    @discardableResult
    public func close(within limit: Duration) async -> Statistics {
        writer.close()
        await writer.end(within: limit)
        return statistics
    }
}
