extension Replay {
    /// What became of an error, and what would become of it.
    public struct Difference: Sendable, Hashable {
        /// The full name of the error's type.
        public let type: String
        /// What became of the error: `handled by type(PaymentError) at Intake/Rules.swift:12`.
        public let before: String
        /// What would become of it.
        public let after: String
    }

    /// An error that could not be rebuilt, and a rule that asks for more than its type, domain and code.
    public struct NotJudged: Sendable, Hashable {
        /// The full name of the error's type.
        public let type: String
        /// The first rule that only the error itself could decide: `predicate at Intake/Rules.swift:12`.
        public let rule: String
    }

    /// How many reports there are, and how many errors these stand for: a flood limit makes one of thousands.
    public struct Count: Sendable, Hashable {
        /// The number of reports: of lines.
        public internal(set) var reports = 0
        /// The number of errors that they stand for: the sum of their occurrences.
        public internal(set) var occurrences = 0

        mutating func add(_ other: Count) {
            reports += other.reports
            occurrences += other.occurrences
        }
    }

    /// A report of which something else would become: the first one of its difference.
    public struct Example: Sendable, Hashable {
        /// The name of the machine.
        public let host: String
        /// The number of the report among those of its process.
        public let sequence: Int
        /// The error's message, cut after 160 characters.
        public let message: String

        init(_ record: ReplayedRecord) {
            host = String((record.host ?? "?").prefix(160))
            sequence = record.sequence ?? 0
            message = String((record.message ?? "").prefix(160))
        }
    }

    /// What the reports of a replay come to, as a gate needs it.
    public enum Verdict: Sendable, Hashable, CaseIterable {
        /// Of all reports that were compared the same would become.
        case same
        /// Of at least one report something else would become.
        case different
        /// No report was compared: there was no line, no line that could be read, or no error that could be rebuilt.
        case nothingCompared
        /// Not everything was read, because the task was cancelled, or the program interrupted.
        case interrupted
        /// A file could not be read to its end.
        case unreadableInput

        /// The exit status of ``Replay/main(rules:scopes:rebuilding:arguments:)``: 0 for the same, 1 for different, 2
        /// for nothing compared, 66 for input that cannot be read, 130 for an interrupt.
        public var exitStatus: Int32 {
            switch self {
            case .same: 0
            case .different: 1
            case .nothingCompared: 2
            case .unreadableInput: 66
            case .interrupted: 130
            }
        }
    }

    /// The error of a file that cannot be read, or not to its end.
    public struct UnreadableInput: Error, Sendable, Hashable, CustomStringConvertible {
        /// The path of the file; `-` for standard input.
        public let path: String
        /// Why it cannot be read.
        public let reason: String

        /// The path and the reason: `errors.jsonl cannot be read: No such file or directory`.
        public var description: String { "\(path) cannot be read: \(reason)" }
    }
}
