import BoundedDescriptions
import CodedErrors
import ErrorRecording
import ErrorRouting

extension Replay {
    /// A table for readers: the number of unchanged reports, the differences, and the errors that couldn't be rebuilt.
    ///
    /// If reports represent more than one error, the table counts these errors too.
    public var description: String { table() }

    /// Returns the table, or only its differences.
    func table(onlyDifferences: Bool = false) -> String {
        let parts =
            onlyDifferences
            ? [notes, differenceLines] : [notes, countLines, differenceLines, ruleLines, notRebuiltLines]
        return parts.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    /// Notes that come first, because they mean that the result is incomplete.
    private var notes: [String] {
        (isInterrupted ? ["Interrupted: this is what was read until then."] : [])
            + (hasUnreadableInput ? ["Not every file could be read: this is what was read."] : [])
    }

    private var countLines: [String] {
        let changed = changes.values.reduce(into: Count()) { $0.add($1.count) }
        let counts = [
            (changed.reports, "different"), (notRebuilt.values.reduce(0, +), "not judged"),
            (undelivered, "never delivered"), (unreadable, "unreadable lines"),
        ]
        var lines = [(["\(unchanged) unchanged"] + counts.map { "\($0) \($1)" }).joined(separator: ", ")]
        if unchangedCount.occurrences + changed.occurrences > unchanged + changed.reports {
            let (same, different) = (unchangedCount.occurrences, changed.occurrences)
            lines.append("The reports stand for \(same) errors unchanged, \(different) different.")
        }
        if unchanged + changed.reports == 0 {
            lines.append("Nothing was compared: there was no line that is a record of an error which can be judged.")
        }
        if ofLaterVersions > 0 {
            lines.append("\(ofLaterVersions) lines are of a later version, and read as far as they are known.")
        }
        if leftOut > 0 { lines.append("\(leftOut) lines are left out by the options.") }
        return lines
    }

    private var differenceLines: [String] {
        let sorted = changes.sorted { first, second in
            let (one, other) = (first.value.count, second.value.count)
            if one.reports != other.reports { return one.reports > other.reports }
            return (first.key.type, first.key.before, first.key.after)
                < (second.key.type, second.key.before, second.key.after)
        }
        return (sorted.isEmpty ? [] : ["Different, the most frequent first:"])
            + sorted.flatMap { difference, change in
                let errors = change.count.occurrences > change.count.reports
                let example = change.example.map {
                    ["          example: \($0.message) (\($0.host), \($0.sequence))"]
                }
                return [
                    "\(Self.column(change.count.reports))  \(difference.type)"
                        + (errors ? ", \(change.count.occurrences) errors" : ""),
                    "          before: \(difference.before)",
                    "          after:  \(difference.after)",
                ] + (example ?? [])
            }.map(OneLine.escaped)
    }

    private var ruleLines: [String] {
        let rules = rulesBeforeAndAfter.filter { $1.before != $1.after }.sorted { $0.key < $1.key }
        return (rules.isEmpty ? [] : ["Reports before and after, by rules that have more or fewer:"])
            + rules.map { rule, counts in
                OneLine.escaped("\(Self.column(counts.before.reports)) \(Self.column(counts.after.reports))  \(rule)")
            }
    }

    private var notRebuiltLines: [String] {
        let sorted = notJudged.sorted { ($1.value, $0.key.type, $0.key.rule) < ($0.value, $1.key.type, $1.key.rule) }
        return
            (sorted.isEmpty
            ? [] : ["Not judged, because the error was not rebuilt and a rule asks for more than its type:"])
            + sorted.flatMap { notJudged, count in
                [
                    "\(Self.column(count))  \(notJudged.type)\(rebuilding.advice(on: notJudged.type))",
                    "          asked by: \(notJudged.rule)",
                ]
            }.map(OneLine.escaped)
    }

    private static func column(_ count: Int) -> String {
        let text = String(count)
        return String(repeating: " ", count: max(8 - text.count, 0)) + text
    }
}

extension RebuildableErrors {
    /// Returns advice on how to make errors of a type rebuildable.
    fileprivate func advice(on type: String) -> String {
        if type == ReplayTally.others { return "  and more types" }
        if isAdded(type) { return ": its value was not recorded, or comes out as another error" }
        if FoundationErrors.contains(typeName: type) {
            return ": errors under it, or a code that is not known here, cannot be rebuilt"
        }
        let name = type.firstIndex(of: ".").map { type[type.index(after: $0)...] } ?? type[...]
        return ": make it Codable, and record with RebuildableErrors().adding(\(name).self)"
    }
}
