import Foundation

/// A line that the service wrote.
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
    /// The source location of the entry: `OrderService/Routes.swift:12`.
    let location: String
    let message: String
    let metadata: [String: String]

    /// Reads a line.
    ///
    /// A line that isn't a log entry becomes a message without a label.
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

    /// The name and value of a metric, if this is one of the metrics that the service writes at its end.
    var metric: (name: String, value: Double)? {
        guard text.hasPrefix("metric "), let gap = text.lastIndex(of: " "),
            let value = Double(text[text.index(after: gap)...])
        else { return nil }
        return (String(text[..<gap].dropFirst("metric ".count)), value)
    }

    /// Whether the line is about an error.
    ///
    /// ``isAnswered`` and others check for more.
    var isError: Bool { metadata["exception.type"] != nil }

    /// Whether the line is a request's span that failed or has a recorded error.
    var isRequestSpan: Bool { label == "spans" && metadata["kind"] == "server" }

    /// Whether the line is about an error that a client received as its answer.
    ///
    /// False for an attempt that a retry followed, and for an error outside a request.
    var isAnswered: Bool {
        isError && metadata["hb.request.id"] != nil && metadata["retry.attempt"] == nil
    }

    /// Whether the error wasn't delivered, because the bus returned it on shutdown.
    var isReturned: Bool { metadata["error.disposition"] == "pending" && metadata["error.rule"] == nil }

    /// The port on which the service listens, if this is the line that names it.
    var port: Int? { metadata["port"].flatMap(Int.init) }

    /// How many errors the line represents.
    var occurrences: Int { metadata["error.occurrences"].flatMap(Int.init) ?? 1 }

    /// The bus's totals at its end, if this line has them.
    var totals: Totals? { Totals(message) }

    /// A bus's totals as the bus logs them: `posted 3 = handled 1 + ignored 0 + …; action failures 0`.
    struct Totals: Sendable, Equatable {
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

        /// Whether the number of posted errors is the sum of the other counts.
        var areConsistent: Bool {
            let ends = ["handled", "ignored", "unmatched", "suppressed", "dropped", "pending"]
            return counts.count == ends.count + 1 && self["posted"] == ends.reduce(0) { $0 + self[$1] }
        }
    }
}
