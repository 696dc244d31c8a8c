extension ErrorReport {
    /// The parts that most reports don't have.
    ///
    /// They are a role other than a plain failure, the mark of the bus's witness, the bus's table of details, and a
    /// ``PostingLog`` if the error was posted during logging. For a merged report, they also include the number of
    /// errors that it represents, and the time of the oldest error. They are in a separate object because every part of
    /// a report makes each copy of the report more expensive.
    final class RareParts: Sendable {
        let role: Role
        let mark: (any AnyObject & Sendable)?
        let log: PostingLog?
        let table: DetailsTable?
        let occurrences: Int
        let firstMoment: Moment?

        init(
            _ role: Role, _ mark: (any AnyObject & Sendable)?, _ log: PostingLog?, _ table: DetailsTable?,
            _ occurrences: Int, since firstMoment: Moment?
        ) {
            (self.role, self.mark, self.log, self.table) = (role, mark, log, table)
            (self.occurrences, self.firstMoment) = (occurrences, firstMoment)
        }

        /// Returns the parts, or nil if all of them have their default values.
        ///
        /// This isn't a failable initializer, because a class's initializer allocates an object even if it returns nil.
        @inline(__always)
        static func of(
            _ role: Role, _ mark: (any AnyObject & Sendable)? = nil, in log: PostingLog? = nil,
            by table: DetailsTable? = nil, representing occurrences: Int = 1, since firstMoment: Moment? = nil
        ) -> RareParts? {
            let isSingle = occurrences == 1 && firstMoment == nil
            let isPlain = role == .failure && mark == nil && log == nil && table == nil && isSingle
            return isPlain ? nil : RareParts(role, mark, log, table, occurrences, since: firstMoment)
        }

        /// The part of a flood limit's kind that separates errors by mark, and separates errors posted during logging
        /// from other errors.
        var floodMark: ObjectIdentifier? { mark.map { ObjectIdentifier($0) } ?? log.map { _ in .init(RareParts.self) } }
    }
}
