extension ErrorReport {
    /// The parts that most reports don't have.
    ///
    /// A report stores them in a box because every part of a report makes each copy of it more expensive.
    struct RareParts: Sendable {
        var role = Role.failure
        /// The mark of the bus's witness.
        var mark: (any AnyObject & Sendable)?
        /// The log during which the error was posted; nil if it was posted elsewhere.
        var log: PostingLog?
        /// The bus's table of details.
        var table: DetailsTable?
        /// The number of errors that a merged report represents.
        var occurrences = 1
        /// The time of the oldest of these errors.
        var firstMoment: Moment?

        /// The parts in a box; nil if all of them have their default values.
        var boxed: Box<RareParts>? {
            let isSingle = occurrences == 1 && firstMoment == nil
            let isPlain = role == .failure && mark == nil && log == nil && table == nil && isSingle
            return isPlain ? nil : Box(self)
        }

        /// The part of a flood limit's kind that separates errors by mark, and separates errors posted during logging
        /// from other errors.
        var floodMark: ObjectIdentifier? {
            mark.map { ObjectIdentifier($0) } ?? log.map { _ in ObjectIdentifier(PostingLog.self) }
        }
    }
}
