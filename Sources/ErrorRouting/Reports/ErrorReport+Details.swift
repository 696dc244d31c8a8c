extension ErrorReport {
    /// The role of a report that is no plain failure, the mark of the bus's witness, and the moment of the oldest error
    /// that a merged report stands for.
    ///
    /// In an object of its own: most reports have none, and each part of a report costs at each copy of it.
    final class Details: Sendable {
        let role: Role
        let mark: (any AnyObject & Sendable)?
        let firstMoment: Moment?

        private init(_ role: Role, _ mark: (any AnyObject & Sendable)?, _ firstMoment: Moment?) {
            (self.role, self.mark, self.firstMoment) = (role, mark, firstMoment)
        }

        /// Returns the details; nil for a failure without a mark that stands for itself alone.
        ///
        /// No initialiser that returns nil: a class's allocates an object even then.
        @inline(__always)
        static func of(
            _ role: Role, _ mark: (any AnyObject & Sendable)? = nil, since firstMoment: Moment? = nil
        ) -> Details? {
            role == .failure && mark == nil && firstMoment == nil ? nil : Details(role, mark, firstMoment)
        }
    }
}
