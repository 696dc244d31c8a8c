/// How far one error's dispatch has come: a plain value, which records the result of each rule.
///
/// Since it is a value, another worker can go on with the dispatch after any rule: the bus has one do so when an action
/// exceeds its time limit.
struct DispatchProgress: Sendable {
    /// Where the dispatch is.
    var place: DispatchPlace
    /// What most dispatches have none of, so that there is one word to copy and destroy.
    private var extras: Extras?

    private final class Extras: Sendable {
        let failures: [ActionFailure]
        let findings: ErrorSubject?

        init(_ failures: [ActionFailure], _ findings: ErrorSubject?) {
            (self.failures, self.findings) = (failures, findings)
        }
    }

    /// - Parameters:
    ///   - place: Where the dispatch is.
    ///   - failures: The failures so far; nil if there are none.
    ///   - findings: What matchers have found out about the error, for whoever goes on: finding it out is expensive.
    @inline(__always)
    init(_ place: DispatchPlace = .init(), failures: [ActionFailure]? = nil, findings: ErrorSubject? = nil) {
        self.place = place
        if failures != nil || findings != nil { extras = Extras(failures ?? [], findings) }
    }

    /// The failures so far.
    var failures: [ActionFailure] { extras?.failures ?? [] }
    var hasFailures: Bool { extras.map { !$0.failures.isEmpty } ?? false }
    /// The error with what matchers have found out about it, if that was kept.
    var findings: ErrorSubject? { extras?.findings }

    /// Records an error that the action of a rule of this stage has thrown, which counts as a match and as `.next`.
    mutating func record(_ error: any Error, of rule: Rule, _ report: ErrorReport) {
        let failure = ActionFailure(error: error, report: report, rule: rule.registration.description)
        extras = Extras(failures + [failure], findings)
        place.record(.next, of: Borrowed(rule))
    }

    /// The outcome so far; final after the last rule.
    var outcome: HandleOutcome { place.outcome(failed: hasFailures ? failures : nil) }
}
