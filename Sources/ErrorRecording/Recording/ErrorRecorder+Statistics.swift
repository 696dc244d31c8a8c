extension ErrorRecorder {
    /// How many reports a recorder received, wrote, failed to write, dropped, or has pending.
    ///
    /// Each count is maintained separately, and `recorded = written + failed + dropped + pending` always holds.
    public struct Statistics: Sendable, Hashable, CustomStringConvertible {
        /// Reports that the recorder received.
        public internal(set) var recorded = 0
        /// Reports that were written to a file.
        public internal(set) var written = 0
        /// Reports that couldn't be written: the disk is full, the file can't be opened, or the pipe doesn't have a
        /// reader.
        public internal(set) var failed = 0
        /// Reports that the recorder didn't accept: the queue was full, or the recorder was closed.
        public internal(set) var dropped = 0
        /// Reports that are queued or being written.
        public internal(set) var pending = 0

        /// Whether ``recorded`` equals the sum of the other counts.
        var isBalanced: Bool { recorded == written + failed + dropped + pending }

        /// The counts on one line, as the equation that they satisfy.
        public var description: String {
            """
            recorded \(recorded) \(isBalanced ? "=" : "≠") written \(written) + failed \(failed) + dropped \(dropped) \
            + pending \(pending)
            """
        }
    }
}
