extension ErrorRecorder {
    /// How many reports a recorder was given, and what became of them.
    ///
    /// Whenever they are read, `recorded = written + failed + dropped + pending`; each is counted on its own.
    public struct Statistics: Sendable, Hashable, CustomStringConvertible {
        /// Reports that the recorder was given.
        public internal(set) var recorded: Int
        /// Reports whose line is in a file.
        public internal(set) var written: Int
        /// Reports whose line could not be written: the disk is full, the file cannot be opened, or the pipe has no
        /// reader.
        public internal(set) var failed: Int
        /// Reports that were not accepted: the queue was full, or the recorder closed.
        public internal(set) var dropped: Int
        /// Reports that wait, or are being written.
        public internal(set) var pending: Int

        /// Makes statistics, with zero for each count by default; for tests and fakes.
        ///
        /// - Parameters:
        ///   - recorded: Reports that the recorder was given.
        ///   - written: Reports whose line is in a file.
        ///   - failed: Reports whose line could not be written.
        ///   - dropped: Reports that were not accepted.
        ///   - pending: Reports that wait, or are being written.
        public init(recorded: Int = 0, written: Int = 0, failed: Int = 0, dropped: Int = 0, pending: Int = 0) {
            self.recorded = recorded
            self.written = written
            self.failed = failed
            self.dropped = dropped
            self.pending = pending
        }

        /// Whether ``recorded`` equals the sum of the other counts.
        public var isBalanced: Bool { recorded == written + failed + dropped + pending }

        /// The counts on one line, as the equation that they fulfil.
        public var description: String {
            """
            recorded \(recorded) \(isBalanced ? "=" : "≠") written \(written) + failed \(failed) + dropped \(dropped) \
            + pending \(pending)
            """
        }
    }
}
