extension Replay {
    /// A table for a person: how many are unchanged, what differs and how, and what could not be rebuilt.
    public var description: String {
        let (changed, missing) = (differences.values.reduce(0, +), notRebuilt.values.reduce(0, +))
        let counts = [
            (changed, "different"), (missing, "not rebuilt"), (undelivered, "never delivered"),
            (unreadable, "unreadable lines"),
        ]
        var lines = [(["\(unchanged) unchanged"] + counts.map { "\($0) \($1)" }).joined(separator: ", ")]
        if !differences.isEmpty {
            lines += ["", "Different, the most frequent first:"]
            let sorted = differences.sorted { first, second in
                if first.value != second.value { return first.value > second.value }
                let (one, other) = (first.key, second.key)
                return (one.type, one.before, one.after) < (other.type, other.before, other.after)
            }
            for (difference, count) in sorted {
                lines += [
                    "\(Self.column(count))  \(difference.type)",
                    "          before: \(difference.before)",
                    "          after:  \(difference.after)",
                ]
            }
        }
        if !notRebuilt.isEmpty {
            lines += ["", "Not rebuilt, so nothing is known of them:"]
            lines += notRebuilt.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { type, count in
                "\(Self.column(count))  \(type)\(rebuilding.advice(on: type))"
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func column(_ count: Int) -> String {
        let text = String(count)
        return String(repeating: " ", count: max(8 - text.count, 0)) + text
    }
}

extension RebuildableErrors {
    /// Returns what can be done so that errors of a type are rebuilt.
    fileprivate func advice(on type: String) -> String {
        if isAdded(type) { return ": its value was not recorded, or comes out as another error" }
        if Self.isFoundations(type) { return ": errors under it, or a code that is not known here, cannot be rebuilt" }
        let name = type.split(separator: ".").dropFirst().joined(separator: ".")
        return ": make it Codable, and record with RebuildableErrors().adding(\(name).self)"
    }
}
