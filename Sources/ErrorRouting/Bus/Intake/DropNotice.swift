/// A pending notice of drops; its turn determines the drops that it reports.
final class DropNotice: Sendable {
    /// The number of the report that follows the notice.
    let turn: Int64
    /// The source of the first dropped error.
    let source: ErrorReport.Source
    let moment = Moment()

    init(turn: Int64, source: ErrorReport.Source) { (self.turn, self.source) = (turn, source) }
}
