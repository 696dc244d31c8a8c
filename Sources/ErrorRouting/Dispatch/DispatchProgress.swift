/// How far one error's dispatch has come: a plain value, which records the result of each rule.
///
/// Since it is a value, another worker can go on with the dispatch after any rule: the bus has one do so when an action
/// exceeds its time limit.
struct DispatchProgress: Sendable {
    /// Where the dispatch is.
    var place = DispatchPlace()
    /// The failures so far; nil if there are none.
    var failures: [ActionFailure]?
    /// The error with what matchers have found out about it, for whoever goes on: finding it out is expensive.
    var findings: ErrorSubject?

    /// Records an error that the action of a rule of this stage has thrown, which counts as a match and as `.next`.
    mutating func record(_ error: any Error, of rule: Rule, _ report: ErrorReport) {
        let failure = ActionFailure(error: error, report: report, rule: rule.registration.description)
        failures = (failures ?? []) + [failure]
        place.record(.next, of: Borrowed(rule))
    }
}
