extension ErrorReport {
    /// What a post is, so that a reader of the report knows whether to care.
    ///
    /// Rules and `onNoMatch` are not tried for an attempt. Counts, `always` actions and observers see all roles alike. A
    /// line begins with the role, a presenter shows failures only, and a test that fails on unexpected errors is not
    /// failed by an attempt or a notice. An application may add its own roles:
    ///
    /// ```swift
    /// extension ErrorReport.Role { static let audit = Self("audit") }
    /// ```
    public struct Role: Sendable, Hashable, CustomStringConvertible {
        // Computed: each post compares with one, and a constant would be looked up in memory.

        /// Something failed, and nobody else will deal with it: the role of a post unless another one is given.
        public static var failure: Role { Role("failure") }
        /// Something failed, but the work continues, with a retry or another source.
        ///
        /// No rule is tried, because nothing is decided yet: the error counts as ignored.
        public static var attempt: Role { Role("attempt") }
        /// Something is announced that is no failure in itself, such as a circuit that closed again.
        ///
        /// A ``FloodLimit`` neither holds nor merges a notice, except that of a cancellation.
        public static var notice: Role { Role("notice") }

        /// The role's name, as lines and fields show it.
        public let name: String

        /// Creates a role of the application's.
        ///
        /// - Parameter name: The role's name; roles with equal names are equal.
        public init(_ name: String) { self.name = name }

        /// The role's name.
        public var description: String { name }
    }
}
