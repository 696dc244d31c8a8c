/// A notice of drops that waits for its turn; which drops it reports is found out then.
final class DropNotice: Sendable {
    /// The number of the report before which it is delivered.
    let turn: Int64
    /// Where the first of the drops was posted.
    let source: ErrorReport.Source
    let moment = Moment()

    init(turn: Int64, source: ErrorReport.Source) { (self.turn, self.source) = (turn, source) }
}
