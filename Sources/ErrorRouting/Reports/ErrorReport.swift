public import Foundation

/// One posted error, with where, when and in what scope it was posted.
public struct ErrorReport: Sendable, CustomStringConvertible {
    /// A place in the source.
    public struct Source: Sendable, Hashable, CustomStringConvertible {
        /// The file as `#fileID` gives it: `Module/File.swift`.
        public let fileID: String
        /// The line in that file.
        public let line: UInt

        /// Names a place; by default the one where it is called.
        ///
        /// - Parameters:
        ///   - fileID: The file as `#fileID` gives it.
        ///   - line: The line in that file.
        public init(fileID: String = #fileID, line: UInt = #line) {
            self.fileID = fileID
            self.line = line
        }

        /// The module that the file belongs to: what stands before the first slash of the file.
        public var module: String { String(fileID.prefix { $0 != "/" }) }

        /// File and line: `Module/File.swift:12`.
        public var description: String { "\(fileID):\(line)" }
    }

    /// The error that was posted.
    public let error: any Error
    /// Where it was posted.
    public let source: Source
    /// When it was posted.
    public var instant: ContinuousClock.Instant { moment.instant }
    /// What the poster gave along.
    public internal(set) var metadata: [String: String]
    /// The path of scopes it was posted in, the outermost first; empty where it was posted to the bus itself.
    public let scope: [String]
    /// Its place in the order of delivery, strictly increasing from 1; 0 as long as it is not delivered.
    public internal(set) var sequence: UInt64
    /// How many errors it stands for: itself, and those that a flood limit suppressed.
    public internal(set) var occurrences: Int
    /// How many reports an observer missed just before this one, since its buffer was full; 0 everywhere else.
    public internal(set) var missed = 0
    /// What became of it: in an `always` action the outcome so far, in an observer the whole; before that `.pending`.
    public internal(set) var outcome: HandleOutcome

    private let moment: Moment

    /// Makes a report, for tests and for posters of one's own.
    ///
    /// Otherwise the bus makes them.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - source: Where it was posted.
    ///   - instant: When it was posted.
    ///   - metadata: What the poster gave along.
    ///   - scope: The path of scopes, the outermost first.
    ///   - sequence: Its place in the order of delivery; 0 if it was not delivered.
    ///   - occurrences: How many errors it stands for.
    ///   - outcome: What became of it.
    public init(
        error: any Error,
        source: Source,
        instant: ContinuousClock.Instant = .now,
        metadata: [String: String] = [:],
        scope: [String] = [],
        sequence: UInt64 = 0,
        occurrences: Int = 1,
        outcome: HandleOutcome = HandleOutcome(disposition: .pending)
    ) {
        self.init(
            error: error,
            source: source,
            moment: Moment(instant),
            metadata: metadata,
            scope: scope,
            sequence: sequence,
            occurrences: occurrences,
            outcome: outcome
        )
    }

    init(
        error: any Error,
        source: Source,
        moment: Moment,
        metadata: [String: String],
        scope: [String],
        sequence: UInt64,
        occurrences: Int,
        outcome: HandleOutcome
    ) {
        self.error = ErrorBox.unboxed(error)
        self.source = source
        self.moment = moment
        self.metadata = metadata
        self.scope = scope
        self.sequence = sequence
        self.occurrences = occurrences
        self.outcome = outcome
    }

    /// When it was posted, as a date.
    ///
    /// Computed from ``instant`` when asked, so that posting reads one clock only.
    public var date: Date {
        let age = (ContinuousClock.now - instant) / .seconds(1)
        return Date(timeIntervalSinceNow: -age)
    }

    /// The report on one line, as the default preset prints it.
    public var description: String { ErrorLine(self).text }
}
