extension ErrorRecorder {
    /// The number of reports that a recorder received, wrote, failed to write, dropped, or has pending.
    ///
    /// Each count is kept separately, and `recorded = written + failed + dropped + pending` holds at every reading.
    public struct Statistics: Sendable, Hashable, CustomStringConvertible {
        /// Reports that the recorder received.
        public internal(set) var recorded: Int
        /// Reports with a line in a file.
        public internal(set) var written: Int
        /// Reports that could not be written: the disk is full, the file can't be opened, or the pipe has no reader.
        public internal(set) var failed: Int
        /// Reports that the recorder didn't accept: the queue was full, or the recorder was closed.
        public internal(set) var dropped: Int
        /// Reports that are queued or being written.
        public internal(set) var pending: Int

        /// Creates statistics, with zero for each count by default; for tests and fakes.
        ///
        /// - Parameters:
        ///   - recorded: Reports that the recorder received.
        ///   - written: Reports with a line in a file.
        ///   - failed: Reports that could not be written.
        ///   - dropped: Reports that the recorder didn't accept.
        ///   - pending: Reports that are queued or being written.
        public init(recorded: Int = 0, written: Int = 0, failed: Int = 0, dropped: Int = 0, pending: Int = 0) {
            self.recorded = recorded
            self.written = written
            self.failed = failed
            self.dropped = dropped
            self.pending = pending
        }

        /// Whether ``recorded`` equals the sum of the other counts.
        public var isBalanced: Bool { recorded == written + failed + dropped + pending }

        /// The counts on one line, as the equation that they satisfy.
        public var description: String {
            """
            recorded \(recorded) \(isBalanced ? "=" : "≠") written \(written) + failed \(failed) + dropped \(dropped) \
            + pending \(pending)
            """
        }
    }
}
