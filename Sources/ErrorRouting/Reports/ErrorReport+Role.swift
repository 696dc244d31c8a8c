extension ErrorReport {
    /// What a post means, so that a reader of the report knows whether to act: a failure, an attempt, or a notice.
    ///
    /// Rules and `onNoMatch` aren't tried for an attempt. Counts, `always` actions, and observers treat all roles
    /// alike. A line begins with the role, and a presenter shows only failures. Attempts and notices don't fail a test
    /// that fails on unexpected errors. An application can add its own roles:
    ///
    /// ```swift
    /// extension ErrorReport.Role { static let audit = Self("audit") }
    /// ```
    public struct Role: Sendable, Hashable, CustomStringConvertible {
        // Make the roles computed: each post compares its role, and a stored constant would cost a memory access.

        /// Something failed, and no other code will handle it; this is the default role of a post.
        public static var failure: Role { Role("failure") }
        /// Something failed, but the work continues, for example with a retry or another source.
        ///
        /// Rules aren't tried, because the result isn't decided yet, and the error counts as ignored.
        public static var attempt: Role { Role("attempt") }
        /// An announcement that isn't a failure, for example that a circuit closed again.
        ///
        /// A ``FloodLimit`` neither holds back nor merges a notice, except for a cancellation that was posted as a
        /// notice.
        public static var notice: Role { Role("notice") }

        /// The role's name, as shown in lines and fields.
        public let name: String

        /// Creates an application's own role.
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
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: The errors that the decoder throws.
    public init(from decoder: any Decoder) throws { name = try String(from: decoder) }

    /// Writes the role's name.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: The errors that the encoder throws.
    public func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
}
