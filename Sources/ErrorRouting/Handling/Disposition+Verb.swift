extension HandleOutcome.Disposition {
    /// The verb of a rule that only stops errors, and that gives them this disposition.
    ///
    /// The first form begins the rule's line in a handler's description; the second completes "rule 1 …" in an
    /// explanation.
    var verb: (inHandler: String, ofRule: String) {
        switch self {
        case .ignored: ("ignore ", "ignores the error")
        case .handled: ("expecting ", "expects the error")
        case .unmatched, .dropped, .pending: ("stop ", "stops the error")
        }
    }
}
