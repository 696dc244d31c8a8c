extension ErrorReport {
    /// The parts that most reports don't have.
    ///
    /// They are a role other than a plain failure, the mark of the bus's witness, the log in which the error was
    /// posted, the bus's table of details, and the time of the oldest error that a merged report represents. They are
    /// in a separate object because every part of a report makes each copy of it more expensive.
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

        /// Returns the parts, or nil if all of them have their default values.
        ///
        /// This isn't a failable initializer, because a class's initializer allocates an object even if it returns nil.
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

        /// The part of a flood limit's kind that separates errors by mark, and separates errors posted during logging
        /// from other errors.
        var floodMark: ObjectIdentifier? { mark.map { ObjectIdentifier($0) } ?? log.map { _ in .init(RareParts.self) } }
    }
}
