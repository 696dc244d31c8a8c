extension Replay {
    /// The recorded result of an error, and its different result with the replayed rules.
    public struct Difference: Sendable, Hashable {
        /// The full name of the error's type.
        public let type: String
        /// The recorded result: `handled by type(PaymentError) at Intake/Rules.swift:12`.
        public let before: String
        /// The result with the replayed rules.
        public let after: String
    }

    /// An error that could not be rebuilt, and a rule that needs more than its type, domain, and code.
    struct NotJudged: Sendable, Hashable {
        /// The full name of the error's type.
        let type: String
        /// The first rule that needs the error itself: `predicate at Intake/Rules.swift:12`.
        let rule: String
    }

    /// A number of reports, and of the errors that they represent: a flood limit can merge thousands into one report.
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

    /// A report with a different result: the first one of its difference.
    struct Example: Sendable, Hashable {
        /// The name of the machine.
        let host: String
        /// The release of the service; nil if the record has none.
        let release: String?
        /// The number of the report among those of its process.
        let sequence: Int
        /// The error's message, truncated after 160 characters.
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
        /// No report was compared: there were no lines, no readable lines, or no errors that could be rebuilt.
        case nothingCompared
        /// Not everything was read, because the task was cancelled or the program was interrupted.
        case interrupted
        /// A file could not be read to its end, or has lines but no record.
        case unreadableInput

        /// The exit status of `Replay.main`: 0 for the same, 1 for different, 2 for nothing compared, 66 for unreadable
        /// input, 130 for an interrupt.
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

    /// The error of a file that can't be read to its end, or of which no line is a record.
    public struct UnreadableInput: Error, Sendable, Hashable, CustomStringConvertible {
        /// The path of the file; `-` for standard input.
        public let path: String
        /// The reason for the failure.
        public let reason: String

        /// The path and the reason: `errors.jsonl cannot be read: No such file or directory`.
        public var description: String { "\(path) cannot be read: \(reason)" }
    }
}
