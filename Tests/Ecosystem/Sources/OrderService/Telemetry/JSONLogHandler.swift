import Foundation
import Logging

/// Exports each entry as one line of JSON, with the span in which it was logged.
struct JSONLogHandler: LogHandler {
    private struct Entry: Encodable {
        let time: Date
        let level: String
        let label: String
        let source: String
        let file: String
        let line: UInt
        let message: String
        let metadata: [String: String]
    }

    let label: String
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    private let exporter: Exporter

    init(label: String, logLevel: Logger.Level, metadataProvider: Logger.MetadataProvider?, exporter: Exporter) {
        self.label = label
        self.logLevel = logLevel
        self.metadataProvider = metadataProvider
        self.exporter = exporter
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }.merging(event.metadata ?? [:]) { $1 }
        let entry = Entry(
            time: Date(), level: event.level.rawValue, label: label, source: event.source,
            file: event.file, line: event.line, message: "\(event.message)", metadata: all.mapValues(\.description))
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard var line = try? encoder.encode(entry) else { return }
        line.append(UInt8(ascii: "\n"))
        exporter.export(line)
    }
}
