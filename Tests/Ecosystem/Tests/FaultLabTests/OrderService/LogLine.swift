import Foundation

/// One line that the service wrote.
struct LogLine: Sendable {
    private struct Entry: Decodable {
        let level: String
        let label: String
        let source: String
        let file: String
        let line: UInt
        let message: String
        let metadata: [String: String]
    }

    let text: String
    let level: String
    let label: String
    let source: String
    /// The source location that the line is about: `OrderService/Routes.swift:12`.
    let location: String
    let message: String
    let metadata: [String: String]

    /// Reads a line; if it isn't a log entry, the line is a message without a label.
    init(_ data: Data) {
        text = String(decoding: data, as: UTF8.self)
        let entry = try? JSONDecoder().decode(Entry.self, from: data)
        level = entry?.level ?? ""
        label = entry?.label ?? ""
        source = entry?.source ?? ""
        location = entry.map { "\($0.file):\($0.line)" } ?? ""
        message = entry?.message ?? text
        metadata = entry?.metadata ?? [:]
    }

    /// The name and the value of a metric, if the line is one of the metrics that the service writes at its end.
    var metric: (name: String, value: Double)? {
        guard text.hasPrefix("metric "), let gap = text.lastIndex(of: " "),
            let value = Double(text[text.index(after: gap)...])
        else { return nil }
        return (String(text[..<gap].dropFirst("metric ".count)), value)
    }

    /// Whether it is about an error; ``isAnswered`` and others select some of these lines.
    var isError: Bool { metadata["exception.type"] != nil }

    /// Whether it is the span of a request; only spans that failed or have a recorded error are logged.
    var isRequestSpan: Bool { label == "spans" && metadata["kind"] == "server" }

    /// Whether it is about an error to which a caller received a response.
    ///
    /// Errors outside of requests, and errors of attempts that another attempt follows, aren't included.
    var isAnswered: Bool {
        isError && metadata["hb.request.id"] != nil && metadata["retry.attempt"] == nil
    }

    /// Whether the error wasn't delivered, but returned when the bus was shut down.
    var isReturned: Bool { metadata["error.disposition"] == "pending" && metadata["error.rule"] == nil }

    /// The port that the service listens on, if the line has it.
    var port: Int? { metadata["port"].flatMap(Int.init) }

    /// How many errors it represents.
    var occurrences: Int { metadata["error.occurrences"].flatMap(Int.init) ?? 1 }

    /// The bus's counts at its end, if the line has them.
    var law: Law? { Law(message) }

    /// The counts of a bus, as it writes them: `posted 3 = handled 1 + ignored 0 + …; action failures 0`.
    struct Law: Sendable, Equatable {
        let counts: [String: Int]

        init?(_ text: String) {
            guard text.hasPrefix("posted ") else { return nil }
            let words = text.prefix { $0 != ";" }.split(separator: " ").filter { $0 != "=" && $0 != "+" }
            var counts: [String: Int] = [:]
            for (name, count) in zip(words.filter { Int($0) == nil }, words.compactMap { Int($0) }) {
                counts[String(name)] = count
            }
            self.counts = counts
        }

        subscript(name: String) -> Int { counts[name] ?? -1 }

        /// Whether the number of posted errors equals the sum of the outcomes, computed here.
        var holds: Bool {
            let ends = ["handled", "ignored", "unmatched", "suppressed", "dropped", "pending"]
            return counts.count == ends.count + 1 && self["posted"] == ends.reduce(0) { $0 + self[$1] }
        }
    }
}
