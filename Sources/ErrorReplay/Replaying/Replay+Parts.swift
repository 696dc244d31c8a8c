extension Replay {
    /// The recorded result of an error, and a different result that the replayed rules would have.
    public struct Difference: Sendable, Hashable {
        /// The full name of the error's type.
        public let type: String
        /// The recorded result: `handled by type(PaymentError) at Intake/Rules.swift:12`.
        public let before: String
        /// The result with the replayed rules.
        public let after: String
    }

    /// An error that couldn't be rebuilt, and a rule that needs more than the error's type, domain, and code.
    struct NotJudged: Sendable, Hashable {
        /// The full name of the error's type.
        let type: String
        /// The first rule that needs the error itself: `predicate at Intake/Rules.swift:12`.
        let rule: String
    }

    /// A number of reports, and the number of errors that they represent.
    ///
    /// The numbers differ because a flood limit can merge thousands of errors into one report.
    struct Count: Sendable, Hashable {
        /// The number of reports, which is the number of lines.
        var reports = 0
        /// The number of errors that the reports represent: the sum of their occurrences.
        var occurrences = 0

        mutating func add(_ other: Count) {
            reports += other.reports
            occurrences += other.occurrences
        }
    }

    /// An example of a difference: the first report with this difference.
    struct Example: Sendable, Hashable {
        /// The name of the machine.
        let host: String
        /// The release of the service; nil if the record doesn't contain it.
        let release: String?
        /// The number of the report among the reports of its recorder.
        let sequence: Int
        /// The error's message, truncated to 160 characters.
        let message: String

        init(_ record: ReplayedRecord) {
            host = String((record.host ?? "?").prefix(160))
            release = record.release.map { String($0.prefix(160)) }
            sequence = record.sequence ?? 0
            message = String((record.message ?? "").prefix(160))
        }
    }

    /// The result of a replay, for example for a CI check.
    public enum Verdict: Sendable, Hashable, CaseIterable {
        /// All compared reports have the same result.
        case same
        /// At least one report has a different result.
        case different
        /// No report was compared: there were no lines, no records, or no errors that could be judged.
        case nothingCompared
        /// Reading was stopped early, because the task was cancelled or the program was interrupted.
        case interrupted
        /// A file couldn't be read to its end, or contains lines but no record.
        case unreadableInput

        /// The exit status of `Replay.main`: 0 for the same result, 1 for a different result, 2 if nothing was
        /// compared, 66 for unreadable input, 130 after an interrupt.
        var exitStatus: Int32 {
            switch self {
            case .same: 0
            case .different: 1
            case .nothingCompared: 2
            case .unreadableInput: 66
            case .interrupted: 130
            }
        }
    }

    /// The error of a file that can't be read to its end, or that contains lines but no record.
    public struct UnreadableInput: Error, Sendable, Hashable, CustomStringConvertible {
        /// The path of the file; `-` for standard input.
        public let path: String
        /// Why the file can't be read.
        public let reason: String

        /// The path and the reason: `errors.jsonl cannot be read: No such file or directory`.
        public var description: String { "\(path) cannot be read: \(reason)" }
    }
}
