import Foundation

#if canImport(Darwin)
    import Darwin
#endif

extension ErrorRecorder {
    /// The limits of a recorder, the names in its records, and what is redacted.
    public struct Configuration: Sendable {
        /// The number of reports that may be pending; at least 1.
        ///
        /// When that many are, newly recorded ones are dropped, and counted.
        public var capacity: Int
        /// The size of a file in bytes; at least 1.
        ///
        /// A file is renamed before a line would exceed it. A line that is longer than that has a separate file. A
        /// file that cannot be renamed grows further.
        public var fileSize: Int
        /// The number of files, the current one included; at least 1.
        ///
        /// If it is 1, the file is deleted when it is full. Files of the same name with a number of `fileCount` or
        /// more, up to 999, are deleted: an earlier recorder with a larger number of files has left them.
        public var fileCount: Int
        /// The size of a line in bytes, its end included; at least 1,024 and at most 1 MiB.
        ///
        /// A record that would have a longer line is shortened: its trail first, then its value, message, metadata and
        /// the rest. A shortened text ends in `…`; ``ErrorRecord/shortened`` names the fields of which something is
        /// left out. Container runtimes split lines at 16 KiB, and a pipe takes up to `PIPE_BUF` bytes as a whole: set
        /// it to that for a recorder that writes to `/dev/stdout`.
        public var lineSize: Int
        /// The name of the service in the records.
        public var service: String
        /// The name of the machine in the records.
        public var host: String
        /// Returns the record to write in place of a record, for example one without what identifies a person.
        ///
        /// Called with every record, on the recorder's thread, under no lock. The values that are recorded for a
        /// `Replay` are in ``ErrorRecord/value``, as JSON.
        public var redact: @Sendable (ErrorRecord) -> ErrorRecord

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - capacity: The number of reports that may be pending.
        ///   - fileSize: The size of a file in bytes.
        ///   - fileCount: The number of files.
        ///   - lineSize: The size of a line in bytes.
        ///   - service: The name of the service; nil for that of the process.
        ///   - host: The name of the machine; nil for what the system calls it.
        ///   - redact: Returns the record to write in place of a record.
        public init(
            capacity: Int = 4_096,
            fileSize: Int = 64 << 20,
            fileCount: Int = 5,
            lineSize: Int = 64 << 10,
            service: String? = nil,
            host: String? = nil,
            redact: @escaping @Sendable (ErrorRecord) -> ErrorRecord = { $0 }
        ) {
            self.capacity = capacity
            self.fileSize = fileSize
            self.fileCount = fileCount
            self.lineSize = lineSize
            self.service = service ?? ProcessInfo.processInfo.processName
            self.host = host ?? Self.hostName
            self.redact = redact
        }

        /// What the system calls the machine; `ProcessInfo.hostName` would ask a name server.
        private static var hostName: String {
            var name = [CChar](repeating: 0, count: 256)
            guard unsafe gethostname(&name, name.count - 1) == 0 else { return "localhost" }
            return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
