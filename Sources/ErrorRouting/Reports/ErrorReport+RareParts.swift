extension ErrorReport {
    /// The rare parts of a report: a role other than a plain failure, the mark of the bus's witness, the log in which
    /// the error was posted, the bus's table of details, and the time of the oldest error that a merged report
    /// represents.
    ///
    /// They are in a separate object: most reports have none, and every part of a report makes each copy of it more
    /// expensive.
    final class RareParts: Sendable {
        let role: Role
        let mark: (any AnyObject & Sendable)?
        let log: PostingLog?
        let table: DetailsTable?
        let firstMoment: Moment?

        private init(
            _ role: Role, _ mark: (any AnyObject & Sendable)?, _ log: PostingLog?, _ table: DetailsTable?,
            _ firstMoment: Moment?
        ) {
            (self.role, self.mark, self.log, self.table, self.firstMoment) = (role, mark, log, table, firstMoment)
        }

        /// Returns the parts; nil for a failure without a mark, a log, and a table that represents only itself.
        ///
        /// This isn't an initializer that returns nil: a class's initializer allocates an object even then.
        @inline(__always)
        static func of(
            _ role: Role, _ mark: (any AnyObject & Sendable)? = nil, in log: PostingLog? = nil,
            by table: DetailsTable? = nil, since firstMoment: Moment? = nil
        ) -> RareParts? {
            let isPlain = role == .failure && mark == nil && log == nil && table == nil && firstMoment == nil
            return isPlain ? nil : RareParts(role, mark, log, table, firstMoment)
        }

        /// Returns the same parts with the time of the oldest error that the report represents.
        func since(_ firstMoment: Moment) -> RareParts { RareParts(role, mark, log, table, firstMoment) }

        /// The part of a flood limit's kind that separates errors with different marks, and those that a log posted.
        var floodMark: ObjectIdentifier? { mark.map { ObjectIdentifier($0) } ?? log.map { _ in .init(RareParts.self) } }
    }
}
