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

    /// The role of a report that is no plain failure, the mark of the bus's witness, and the moment of the oldest error
    /// that a merged report stands for.
    ///
    /// In an object of its own: most reports have none, and each part of a report costs at each copy of it.
    final class Label: Sendable {
        let role: Role
        let mark: (any AnyObject & Sendable)?
        let firstMoment: Moment?

        private init(_ role: Role, _ mark: (any AnyObject & Sendable)?, _ firstMoment: Moment?) {
            (self.role, self.mark, self.firstMoment) = (role, mark, firstMoment)
        }

        /// Returns a label; nil for a failure without a mark that stands for itself alone.
        ///
        /// No initialiser that returns nil: a class's allocates an object even then.
        @inline(__always)
        static func of(
            _ role: Role, _ mark: (any AnyObject & Sendable)? = nil, since firstMoment: Moment? = nil
        ) -> Label? {
            role == .failure && mark == nil && firstMoment == nil ? nil : Label(role, mark, firstMoment)
        }
    }
}
