/// The progress of one error's dispatch, as a plain value that records the result of each rule.
///
/// Because it is a value, another worker can continue the dispatch after any rule. The bus starts one to do so when an
/// action exceeds its time limit.
struct DispatchProgress: Sendable {
    /// The position of the dispatch.
    var position = DispatchPosition()
    /// The failures so far; nil if there are none.
    var failures: [ActionFailure]?
    /// The error with the matchers' cached results, for the worker that continues, because computing them is expensive.
    var findings: ErrorSubject?

    /// Records an error that a rule of this stage has thrown, which counts as a match and as `.next`.
    mutating func record(_ error: any Error, of rule: Rule, _ report: ErrorReport) {
        let failure = ActionFailure(error: error, report: report, rule: rule.registration.description)
        failures = (failures ?? []) + [failure]
        position.record(.next, of: Borrowed(rule))
    }
}
