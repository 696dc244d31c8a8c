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
    /// The file and line that it is about: `OrderService/Routes.swift:12`.
    let place: String
    let message: String
    let metadata: [String: String]

    /// Reads a line; what is no entry of the log is a message without a label.
    init(_ data: Data) {
        text = String(decoding: data, as: UTF8.self)
        let entry = try? JSONDecoder().decode(Entry.self, from: data)
        level = entry?.level ?? ""
        label = entry?.label ?? ""
        source = entry?.source ?? ""
        place = entry.map { "\($0.file):\($0.line)" } ?? ""
        message = entry?.message ?? text
        metadata = entry?.metadata ?? [:]
    }

    /// The name and the value of a metric, if it is one of those that the service writes at its end.
    var metric: (name: String, value: Double)? {
        guard text.hasPrefix("metric "), let gap = text.lastIndex(of: " "),
            let value = Double(text[text.index(after: gap)...])
        else { return nil }
        return (String(text[..<gap].dropFirst("metric ".count)), value)
    }

    /// Whether it is about an error; of which ``isAnswered`` and others are a part.
    var isError: Bool { metadata["exception.type"] != nil }

    /// Whether it is the span of a request that failed, or in which an error was recorded.
    var isRequestSpan: Bool { label == "spans" && metadata["kind"] == "server" }

    /// Whether it is about an error that somebody got as an answer; one of an attempt that was followed by another, or
    /// that no request was about, is none.
    var isAnswered: Bool {
        isError && metadata["hb.request.id"] != nil && metadata["retry.attempt"] == nil
    }

    /// Whether the error was not delivered, but given back when the bus was shut down.
    var isGivenBack: Bool { metadata["error.disposition"] == "pending" && metadata["error.rule"] == nil }

    /// Where the service listens, if this is the line that says so.
    var port: Int? { metadata["port"].flatMap(Int.init) }

    /// How many errors it stands for.
    var occurrences: Int { metadata["error.occurrences"].flatMap(Int.init) ?? 1 }

    /// What the bus had counted at its end.
    var law: Law? { Law(message) }

    /// What a bus had counted, as it says it: `posted 3 = handled 1 + ignored 0 + …; action failures 0`.
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

        /// Whether what was posted is what became of it, by a sum of one's own.
        var holds: Bool {
            let ends = ["handled", "ignored", "unmatched", "suppressed", "dropped", "pending"]
            return counts.count == ends.count + 1 && self["posted"] == ends.reduce(0) { $0 + self[$1] }
        }
    }
}
