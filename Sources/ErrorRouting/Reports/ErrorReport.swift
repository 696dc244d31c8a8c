public import Foundation

/// One posted error, with the source location, time, and scope of the post.
public struct ErrorReport: Sendable, CustomStringConvertible {
    /// A source location.
    public struct Source: Sendable, Hashable, Codable, CustomStringConvertible {
        /// The file in the form of `#fileID`: `Module/File.swift`.
        public let fileID: String
        /// The line in that file.
        public let line: UInt

        /// Creates a source location; by default, it is the location of the call.
        ///
        /// - Parameters:
        ///   - fileID: The file in the form of `#fileID`.
        ///   - line: The line in that file.
        public init(fileID: String = #fileID, line: UInt = #line) {
            self.fileID = fileID
            self.line = line
        }

        /// The module that the file belongs to: the part of ``fileID`` before the first slash.
        public var module: String { String(fileID.prefix { $0 != "/" }) }

        /// The file and the line, such as `Module/File.swift:12`; if the line is 0, only ``fileID``.
        ///
        /// A route, for example, is a source without a line.
        public var description: String { line == 0 ? fileID : "\(fileID):\(line)" }
    }

    /// The error that was posted.
    public var error: any Error { unboxed.error }
    let unboxed: UnboxedError
    /// The role of the post: a failure, an attempt after which the work continues, a notice, or one of the
    /// application's roles.
    public var role: Role { rareParts?.value.role ?? .failure }
    let rareParts: Box<RareParts>?
    /// Where the error was posted.
    public let source: Source
    /// When the error was posted.
    public var instant: ContinuousClock.Instant { moment.instant }
    let moment: Moment
    /// When the oldest error that the report represents was posted: ``instant``, unless a flood limit merged errors.
    public var firstInstant: ContinuousClock.Instant { min(rareParts?.value.firstMoment ?? moment, moment).instant }
    /// The metadata from the metadata provider, the scopes, and the caller, without the metadata of the error itself.
    let givenMetadata: [String: String]
    /// The path of scopes in which the error was posted, outermost first; empty if it was posted to the bus itself.
    public let scope: [String]
    /// The report's number in the order of delivery, strictly increasing from 1; 0 before it is delivered.
    public internal(set) var sequence: UInt64
    /// The number of errors that the report represents: its own error, and the errors that a flood limit suppressed.
    public var occurrences: Int { rareParts?.value.occurrences ?? 1 }
    /// The number of reports that an observer missed just before this one, because its buffer was full; otherwise 0.
    public internal(set) var missed = 0
    /// The outcome of the handling.
    ///
    /// An `always` action receives the outcome so far, and an observer receives the final outcome. Before that, the
    /// outcome is `.pending`.
    public internal(set) var outcome: HandleOutcome

    /// The mark that the bus's `PostWitness` returned for the error; nil if there is no witness.
    ///
    /// Other errors don't inherit the mark, and callers can't set it.
    package var mark: (any AnyObject & Sendable)? { rareParts?.value.mark }

    /// When the error was posted, as a date.
    ///
    /// The date is computed from ``instant`` on each access, so that posting reads only one clock.
    public var date: Date {
        let age = (ContinuousClock.now - instant) / .seconds(1)
        return Date(timeIntervalSinceNow: -age)
    }

    /// The report on one line, as the default preset prints it.
    public var description: String { structuredLine() }
}

extension ErrorReport {
    /// Creates a report for tests and for a custom ``ErrorPosting``; a bus creates its own reports.
    ///
    /// - Parameters:
    ///   - error: The error to report.
    ///   - role: The role of the post.
    ///   - source: Where the error was posted.
    ///   - instant: When the error was posted.
    ///   - firstInstant: When the oldest error that the report represents was posted, not after `instant`; nil if all
    ///     errors were posted at that time.
    ///   - metadata: The report's metadata.
    ///   - scope: The path of scopes, outermost first.
    ///   - sequence: The report's number in the order of delivery; 0 if it was not delivered.
    ///   - occurrences: The number of errors that the report represents.
    ///   - outcome: The result of the handling.
    public init(
        error: any Error,
        role: Role = .failure,
        source: Source,
        instant: ContinuousClock.Instant = .now,
        firstInstant: ContinuousClock.Instant? = nil,
        metadata: [String: String] = [:],
        scope: [String] = [],
        sequence: UInt64 = 0,
        occurrences: Int = 1,
        outcome: HandleOutcome = HandleOutcome(disposition: .pending)
    ) {
        let parts = RareParts(role: role, occurrences: occurrences, firstMoment: firstInstant.map(Moment.init))
        self.init(
            unboxed: UnboxedError(error), rareParts: parts.boxed, source: source, moment: Moment(instant),
            givenMetadata: metadata, scope: scope, sequence: sequence, outcome: outcome)
    }
}
