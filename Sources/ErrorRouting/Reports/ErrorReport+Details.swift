extension ErrorReport {
    /// The rare parts of a report: a role other than a plain failure, the mark of the bus's witness, and the time of
    /// the oldest error that a merged report represents.
    ///
    /// They are in a separate object: most reports have none, and every part of a report makes each copy of it more
    /// expensive.
    final class Details: Sendable {
        let role: Role
        let mark: (any AnyObject & Sendable)?
        let firstMoment: Moment?

        private init(_ role: Role, _ mark: (any AnyObject & Sendable)?, _ firstMoment: Moment?) {
            (self.role, self.mark, self.firstMoment) = (role, mark, firstMoment)
        }

        /// Returns the details; nil for a failure without a mark that represents only itself.
        ///
        /// This isn't an initializer that returns nil: a class's initializer allocates an object even then.
        @inline(__always)
        static func of(
            _ role: Role, _ mark: (any AnyObject & Sendable)? = nil, since firstMoment: Moment? = nil
        ) -> Details? {
            role == .failure && mark == nil && firstMoment == nil ? nil : Details(role, mark, firstMoment)
        }
    }
}
