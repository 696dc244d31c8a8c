import Foundation
import Logging
import Synchronization

/// Writes each entry as one line of JSON to standard output, where a log collector reads it.
struct JSONLogHandler: LogHandler {
    private struct Entry: Encodable {
        let time: Date
        let level: String
        let label: String
        let source: String
        let message: String
        let metadata: [String: String]
    }

    /// The lock for standard output, so that lines do not mix.
    private static let output = Mutex(())

    let label: String
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    init(label: String, logLevel: Logger.Level) {
        self.label = label
        self.logLevel = logLevel
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, own in own }
        let entry = Entry(
            time: Date(), level: event.level.rawValue, label: label, source: event.source,
            message: "\(event.message)", metadata: all.mapValues(\.description))
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard var line = try? encoder.encode(entry) else { return }
        line.append(UInt8(ascii: "\n"))
        Self.output.withLock { _ in FileHandle.standardOutput.write(line) }
    }
}
