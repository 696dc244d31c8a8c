import Foundation

#if canImport(Darwin)
    import Darwin
#endif

extension ErrorRecorder {
    /// The limits of a recorder, the names in its records, and its redaction.
    public struct Configuration: Sendable {
        /// The maximum number of pending reports; at least 1.
        ///
        /// When the queue is full, the recorder drops new reports and counts them.
        public var capacity: Int
        /// The size of a file in bytes; at least 1.
        ///
        /// The recorder renames a file before a line would exceed this size. A line that is longer than the limit has
        /// its own file. A file that can't be renamed keeps growing.
        public var fileSize: Int
        /// The number of files, the current one included; at least 1.
        ///
        /// If it is 1, the recorder deletes the file when it is full. The recorder also deletes files of the same name
        /// with a number from `fileCount` to 999, because an earlier recorder with more files left them. It can't tell
        /// them from the files of a recorder that is in use, so recorders with one path need the same number.
        public var fileCount: Int
        /// The size of a line in bytes, its end included; at least 1,024 and at most 1 MiB.
        ///
        /// If a record's line would be longer, the recorder shortens the record: first its trail, then its value,
        /// message, and metadata, then the rest. A shortened string ends in `…`, and ``ErrorRecord/shortened`` names
        /// each field that lost something. Container runtimes split lines at 16 KiB, and only a line of at most
        /// `PIPE_BUF` bytes reaches a pipe in one piece. Set that size for a recorder that writes to `/dev/stdout`.
        public var lineSize: Int
        /// The name of the service in the records.
        public var service: String
        /// The release of the service in the records, such as `2.4.1` or a commit; nil if there is none.
        ///
        /// It is read from nothing else. A page shows which kinds of errors are new in the newest release.
        public var release: String?
        /// The name of the machine in the records.
        public var host: String
        /// Returns the record to write instead of the given one, for example a record without personal data.
        ///
        /// The recorder calls it with every record, on its own thread, without holding a lock. The values that are
        /// recorded for a `Replay` are in ``ErrorRecord/value``, as JSON.
        public var redact: @Sendable (ErrorRecord) -> ErrorRecord

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - capacity: The maximum number of pending reports.
        ///   - fileSize: The size of a file in bytes.
        ///   - fileCount: The number of files.
        ///   - lineSize: The size of a line in bytes.
        ///   - service: The name of the service; nil for the name of the process.
        ///   - release: The release of the service; nil if the records have none.
        ///   - host: The name of the machine; nil for the system's name for it.
        ///   - redact: Returns the record to write instead of the given one.
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

        /// The system's name for the machine; `ProcessInfo.hostName` would query a name server.
        private static var hostName: String {
            var name = [CChar](repeating: 0, count: 256)
            guard unsafe gethostname(&name, name.count - 1) == 0 else { return "localhost" }
            return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
