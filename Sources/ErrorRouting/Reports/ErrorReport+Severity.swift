extension ErrorReport {
    /// The meaning of a post, which shows a reader of the report whether to act.
    ///
    /// Rules and `onNoMatch` are not tried for an attempt. Counts, `always` actions, and observers treat all roles
    /// alike. A line begins with the role, and a presenter shows only failures. Attempts and notices don't fail a test
    /// that fails on unexpected errors. An application can add its own roles:
    ///
    /// ```swift
    /// extension ErrorReport.Role { static let audit = Self("audit") }
    /// ```
    public struct Role: Sendable, Hashable, CustomStringConvertible {
        // Computed: each post compares with one, and a constant would be looked up in memory.

        /// Something failed, and no other code will deal with it.
        ///
        /// This is the default role of a post.
        public static var failure: Role { Role("failure") }
        /// Something failed, but the work continues, with a retry or another source.
        ///
        /// No rule is tried, because nothing is decided yet; the error counts as ignored.
        public static var attempt: Role { Role("attempt") }
        /// An announcement that isn't a failure, such as a circuit that closed again.
        ///
        /// A ``FloodLimit`` neither holds back nor merges a notice, except for notices of cancellations.
        public static var notice: Role { Role("notice") }

        /// The role's name, as shown in lines and fields.
        public let name: String

        /// Creates a role of the application.
        ///
        /// - Parameter name: The role's name; roles with equal names are equal.
        public init(_ name: String) { self.name = name }

        /// The role's name.
        public var description: String { name }
    }
}

extension ErrorReport.Role: Codable {
    /// Reads a role from its name.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The decoder's errors.
    public init(from decoder: any Decoder) throws { name = try String(from: decoder) }

    /// Writes the role's name.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The encoder's errors.
    public func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
}

extension ErrorReport {
    /// How much a report matters, with the names of swift-log's levels.
    ///
    /// ```swift
    /// logger.log(level: .init(rawValue: report.severity.rawValue) ?? .error, "\(report.message)")
    /// ```
    public enum Severity: String, Sendable, Hashable, CaseIterable, Codable {
        case trace, debug, info, notice, warning, error, critical
    }

    /// How much the report matters, by its role and its outcome.
    ///
    /// | report | severity |
    /// | --- | --- |
    /// | a notice | `notice` |
    /// | an attempt, or a role that the application defines | `info` |
    /// | a failure that was ignored | `debug` |
    /// | a failure that a rule handled | `notice` |
    /// | a failure that no rule matched, that was dropped, or that is pending | `error` |
    /// | an ``ActionFailure`` | `error` |
    /// | ``ErrorsDropped`` | `critical` |
    ///
    /// Use ``severity(by:)`` if some errors matter more or less than that.
    ///
    /// - Complexity: O(1).
    public var severity: Severity {
        guard role == .failure else { return role == .notice ? .notice : .info }
        if error is ErrorsDropped { return .critical }
        if error is ActionFailure { return .error }
        return switch outcome.disposition {
        case .ignored: .debug
        case .handled: .notice
        case .unmatched, .dropped, .pending: .error
        }
    }
}

extension ErrorReport.Severity: Comparable {
    /// Whether the first severity matters less than the second: `debug` is less than `error`.
    public static func < (first: Self, second: Self) -> Bool { first.rank < second.rank }

    private var rank: Int {
        switch self {
        case .trace: 0
        case .debug: 1
        case .info: 2
        case .notice: 3
        case .warning: 4
        case .error: 5
        case .critical: 6
        }
    }
}
