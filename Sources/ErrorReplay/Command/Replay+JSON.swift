import Foundation

extension Replay {
    /// Returns the counts as JSON, or only the differences.
    func json(onlyDifferences: Bool = false) -> String {
        var summary = Summary(
            verdict: "\(verdict)",
            differences: changes.map { Summary.Difference($0, $1.count, $1.example) }.sorted {
                ($1.reports, $0.type, $0.before, $0.after) < ($0.reports, $1.type, $1.before, $1.after)
            })
        if !onlyDifferences {
            summary.unchanged = Summary.Count(unchangedCount)
            summary.rules = rulesBeforeAndAfter.mapValues {
                Summary.Rule(before: Summary.Count($0.before), after: Summary.Count($0.after))
            }
            summary.notRebuilt = notRebuilt
            summary.notJudged = notJudged.map { Summary.NotJudged(type: $0.type, rule: $0.rule, reports: $1) }.sorted {
                ($1.reports, $0.type, $0.rule) < ($0.reports, $1.type, $1.rule)
            }
            summary.undelivered = undelivered
            summary.unreadable = unreadable
            summary.ofLaterVersions = ofLaterVersions
            summary.leftOut = leftOut
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // error-audit: harmless, because the summary contains only strings and integers, so encoding can't fail
        return (try? encoder.encode(summary)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    private struct Summary: Encodable {
        let verdict: String
        let differences: [Difference]
        var unchanged: Count?
        var rules: [String: Rule]?
        var notRebuilt: [String: Int]?
        var notJudged: [NotJudged]?
        var undelivered: Int?
        var unreadable: Int?
        var ofLaterVersions: Int?
        var leftOut: Int?

        struct NotJudged: Encodable {
            let type: String
            let rule: String
            let reports: Int
        }

        struct Count: Encodable {
            let reports: Int
            let occurrences: Int

            init(_ count: Replay.Count) { (reports, occurrences) = (count.reports, count.occurrences) }
        }

        struct Rule: Encodable {
            let before: Count
            let after: Count
        }

        struct Difference: Encodable {
            let type: String
            let before: String
            let after: String
            let reports: Int
            let occurrences: Int
            let example: Example?

            struct Example: Encodable {
                let host: String
                let release: String?
                let sequence: Int
                let message: String
            }

            init(_ difference: Replay.Difference, _ count: Replay.Count, _ example: Replay.Example?) {
                (type, before, after) = (difference.type, difference.before, difference.after)
                (reports, occurrences) = (count.reports, count.occurrences)
                self.example = example.map {
                    Example(host: $0.host, release: $0.release, sequence: $0.sequence, message: $0.message)
                }
            }
        }
    }
}
