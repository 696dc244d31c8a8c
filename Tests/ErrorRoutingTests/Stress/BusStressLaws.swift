// The check that statistics add up is internal.
@testable import ErrorRouting

/// The laws that the record of a stress test's run must obey.
struct StressLaws {
    private typealias Seen = StressEvidence.Seen

    private let plan: StressPlan
    private let evidence: StressEvidence
    private let delivered: [Seen]
    /// The reports that shutdown returned (or wrote, inside an action) and those pending when the bus was released.
    private let removed: [Seen]
    private let refused: [Seen]
    private var broken: [String] = []

    /// Names the broken laws.
    static func broken(by evidence: StressEvidence, in plan: StressPlan) -> [String] {
        var laws = StressLaws(plan, evidence)
        laws.checkCounts()
        laws.checkDrops()
        laws.checkOrder()
        laws.checkFailures()
        laws.checkAnswers()
        for reading in evidence.readings { laws.check(reading) }
        return laws.broken
    }

    private init(_ plan: StressPlan, _ evidence: StressEvidence) {
        self.plan = plan
        self.evidence = evidence
        removed = evidence.returned + evidence.written(.shutDown, .discarded)
        refused = evidence.written(.finished)
        // An `always` action might have noted the report that was in flight at a shutdown.
        let inFlight = Set(evidence.returned.map(\.sequence).filter { $0 > 0 })
        delivered = evidence.delivered.filter { !inFlight.contains($0.sequence) }
    }

    private mutating func law(_ name: String, _ actual: Int, _ expected: Int) {
        if actual != expected { broken.append("\(name): \(actual), and not \(expected)") }
    }

    private mutating func law(_ name: String, holds: Bool) {
        if !holds { broken.append(name) }
    }

    /// Promise 14: the counts add up, and each count agrees with the record.
    private mutating func checkCounts() {
        let counts = evidence.statistics
        let ends = delivered + removed
        let posted = evidence.posted.values.reduce(0, +)
        law("isBalanced", holds: counts.isBalanced)
        law("posted", counts.posted, posted + ends.count { $0.key == nil })
        law("pending", counts.pending, plan.end == .letGo ? removed.count : 0)
        law("delivered", counts.handled + counts.ignored + counts.unmatched, delivered.count)
        law("suppressed", counts.suppressed, ends.map { $0.occurrences - 1 }.reduce(0, +))
        let tooMany = plan.end == .letGo ? 0 : removed.count
        let drops = (ends + refused).compactMap { $0.drops?.count }.reduce(0, +)
        law("dropped", counts.dropped, tooMany + drops + refused.count { $0.key != nil })
        guard plan.isWitnessed else { return }
        law("handled", counts.handled, delivered.count { $0.end == .handled })
        law("ignored", counts.ignored, delivered.count { $0.end == .ignored })
        law("unmatched", counts.unmatched, delivered.count { $0.end == .unmatched })
    }

    /// Promises 13 and 20: every posted error of each type has an outcome.
    private mutating func checkDrops() {
        var ends: [String: Int] = [:]
        for seen in delivered + removed + refused {
            switch seen.content {
            case .error(let type, _):
                ends[type, default: 0] += seen.occurrences
            case .drops(let drops):
                law("drops by type", drops.byType.values.reduce(0, +), drops.count)
                ends.merge(drops.byType, uniquingKeysWith: +)
            case .failure:
                break
            case .unknown(let text):
                law("unknown report \(text)", holds: false)
            }
        }
        for type in Set(ends.keys).union(evidence.posted.keys).sorted() {
            law("ends of \(type)", ends[type] ?? 0, evidence.posted[type] ?? 0)
        }
    }

    /// Promise 11: sequence numbers, no report twice, and the order of one caller's errors (with a flood limit, of one
    /// kind).
    private mutating func checkOrder() {
        for (index, seen) in evidence.delivered.enumerated() where seen.sequence != index + 1 {
            return law("sequence after \(index)", Int(seen.sequence), index + 1)
        }
        let keys = (delivered + removed + refused).compactMap(\.key)
        law("each report once", Set(keys).count, keys.count)
        struct Row: Hashable {
            let poster: Int
            let type: String?
            let line: UInt?
            let scope: [String]?
        }
        var last: [Row: Int] = [:]
        for seen in delivered + evidence.returned {
            guard let key = seen.key else { continue }
            let hasFlood = plan.floodLimit != nil
            let row = Row(
                poster: key.poster,
                type: hasFlood ? seen.type : nil,
                line: hasFlood ? seen.line : nil,
                scope: hasFlood ? seen.scope : nil
            )
            law("\(key) comes after \(last[row] ?? 0)", holds: last[row, default: 0] <= key.number)
            last[row] = key.number
        }
    }

    /// Promise 4: an action's error is reported once, and is never lost silently.
    private mutating func checkFailures() {
        var reportCounts = [Int](repeating: 0, count: evidence.thrown.count)
        let notices = (delivered + removed).filter { if case .failure = $0.content { true } else { false } }
        let writtenFailures = evidence.written(.failed)
        for seen in notices + writtenFailures {
            if case .failure(let number?) = seen.content { reportCounts[number] += 1 }
        }
        for (number, count) in reportCounts.enumerated() {
            law("thrown \(number) is reported once", holds: count == 1 || count == 0 && !evidence.thrown[number])
        }
        let range = notices.count...notices.count + writtenFailures.count
        law(
            "action failures: \(evidence.statistics.actionFailures), and not in \(range)",
            holds: range.contains(evidence.statistics.actionFailures))
    }

    /// Checks the outcomes that waiting callers received.
    private mutating func checkAnswers() {
        var ends: [StressMark.Key: HandleOutcome.Disposition] = [:]
        for seen in delivered {
            if let key = seen.key { ends[key] = seen.end ?? .pending }
        }
        for (key, answer) in evidence.answers {
            switch answer {
            case .pending:
                break
            case .dropped:
                law("\(key) was dropped", holds: ends[key] == nil)
            default:
                let isSame = ends[key].map { $0 == answer || !plan.isWitnessed } ?? false
                law("\(key) was \(answer)", holds: isSame)
            }
        }
    }

    /// Promise 19: the reports that an observer read and the reports that it missed are all reports.
    private mutating func check(_ reading: StressReading) {
        let all = delivered.filter { reading.type == nil || $0.type == reading.type }.map { Int($0.sequence) }
        let positions = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1, $0) })
        var last: Int?
        for (sequence, missed) in reading.read {
            guard let position = positions[Int(sequence)] else {
                return law("report \(sequence), which was observed, was delivered", holds: false)
            }
            if let last {
                law("missed before \(sequence)", missed, position - last - 1)
            } else {
                law("missed \(missed) before the first, \(sequence)", holds: missed <= position)
            }
            last = position
        }
        if reading.isWhole, let last { law("reports after the last that was observed", all.count - 1 - last, 0) }
    }
}
