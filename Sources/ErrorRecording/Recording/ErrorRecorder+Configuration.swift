import Foundation

#if canImport(Darwin)
    import Darwin
#endif

extension ErrorRecorder {
    /// The limits of a recorder, its redaction, and the names in its records.
    public struct Configuration: Sendable {
        /// The maximum number of pending reports; at least 1.
        ///
        /// When the queue is full, the recorder drops new reports and counts them.
        public var capacity: Int
        /// The size of a file in bytes; at least 1.
        ///
        /// The recorder rotates the file before a line would exceed this size. A line that is longer than the limit is
        /// written to its own file. A file that can't be renamed keeps growing.
        public var fileSize: Int
        /// The number of files, including the current file; at least 1.
        ///
        /// If it is 1, the recorder deletes the file when it is full. The recorder also deletes files with the same
        /// name and a number from `fileCount` to 999, because they remain from an earlier recorder with more files. It
        /// can't distinguish them from the files of a recorder that is in use, so all recorders of a path need the same
        /// number.
        public var fileCount: Int
        /// The size of a line in bytes, including its newline; at least 1,024 and at most 1 MiB.
        ///
        /// If a record's line would be longer, the recorder shortens the record: first its `trail`, then its value,
        /// message, and metadata, and then the rest. A shortened string ends in `…`, and ``ErrorRecord/shortened``
        /// lists the fields that were shortened. Container runtimes split lines at 16 KiB, and only a line of at most
        /// `PIPE_BUF` bytes reaches a pipe in one piece. Set `PIPE_BUF` as the size for a recorder that writes to
        /// `/dev/stdout`.
        public var lineSize: Int
        /// The name of the service in the records.
        public var service: String
        /// The release of the service in the records, such as `2.4.1` or a commit; nil to leave it out.
        ///
        /// The recorder doesn't determine the release itself. An incident page shows which kinds of errors are new in
        /// the newest release.
        public var release: String?
        /// The name of the machine in the records.
        public var host: String
        /// Returns the record to write instead of the given record, for example a record without personal data.
        ///
        /// The recorder calls it with every record, on its own thread, without holding a lock. ``ErrorRecord/value``
        /// contains the error's value for a `Replay`, as JSON.
        public var redact: @Sendable (ErrorRecord) -> ErrorRecord

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - capacity: The maximum number of pending reports.
        ///   - fileSize: The size of a file in bytes.
        ///   - fileCount: The number of files.
        ///   - lineSize: The size of a line in bytes.
        ///   - service: The name of the service; nil for the name of the process.
        ///   - release: The release of the service; nil to leave it out.
        ///   - host: The name of the machine; nil for the system's own name.
        ///   - redact: Returns the record to write instead of the given record.
        public init(
            capacity: Int = 4_096,
            fileSize: Int = 64 << 20,
            fileCount: Int = 5,
            lineSize: Int = 64 << 10,
            service: String? = nil,
            release: String? = nil,
            host: String? = nil,
            redact: @escaping @Sendable (ErrorRecord) -> ErrorRecord = { $0 }
        ) {
            self.capacity = capacity
            self.fileSize = fileSize
            self.fileCount = fileCount
            self.lineSize = lineSize
            self.service = service ?? ProcessInfo.processInfo.processName
            self.release = release
            self.host = host ?? Self.hostName
            self.redact = redact
        }

        /// The system's name for the machine, without the name server query of `ProcessInfo.hostName`.
        private static var hostName: String {
            var name = [CChar](repeating: 0, count: 256)
            guard unsafe gethostname(&name, name.count - 1) == 0 else { return "localhost" }
            return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
