/// A post as the caller passes it to the bus.
///
/// Together with the state of its slot in the mailbox, it fills one cache line, the unit that moves from the caller's
/// processor to the worker's. Fields that only some postings have are in a box.
struct Posting: Sendable {
    /// The fields that only some postings have.
    struct Extras: Sendable {
        var metadata: [String: String] = [:]
        /// The parts of the report that most reports don't have, including a role other than failure.
        var rareParts: Box<ErrorReport.RareParts>?
        /// The promise of a waiting caller.
        var promise: Promise<HandleOutcome>?
        /// The kind by which a flood limit groups the error; nil if no limit applies to it.
        var floodKind: FloodKind?
        /// The time of the post, measured with the bus's clock; nil for the system's clock.
        var clockTime: Duration?
    }

    let error: UnboxedError
    /// Where the error was posted.
    let source: ErrorReport.Source
    let moment: Moment
    /// The scope of the post; nil for the bus itself.
    let scope: ScopeContext?
    private var rest: Rest

    private enum Rest {
        case none
        /// Only the kind of an error under a flood limit, so that it takes no other object.
        case limited(FloodKind)
        case more(Box<Extras>)
    }

    @inline(__always)
    init(
        _ error: consuming UnboxedError, at source: ErrorReport.Source, scope: ScopeContext? = nil,
        moment: Moment = .init(), extras: consuming Box<Extras>? = nil
    ) {
        self.error = error
        self.source = source
        self.moment = moment
        self.scope = scope
        rest = extras.map(Rest.more) ?? .none
    }

    /// Creates the notice about a failed action.
    init(noticeOf failure: ActionFailure, in scope: ScopeContext?) {
        let report = ErrorReport(of: failure)
        self.init(
            report.unboxed, at: report.source, scope: scope, moment: report.moment,
            extras: Box(Extras(metadata: report.givenMetadata, rareParts: report.rareParts)))
    }

    /// The scope, not retained.
    ///
    /// If the worker retained the scope, it would contend with callers, which write to the scope's reference count on
    /// every post.
    @inline(__always)
    var unretainedScope: Borrowed<ScopeContext>? { scope.map(Borrowed.init) }

    private var extras: Box<Extras>? { if case .more(let extras) = rest { extras } else { nil } }

    /// The parts of the report that most reports don't have; nil for a failure without such parts.
    var rareParts: Box<ErrorReport.RareParts>? { extras?.value.rareParts }

    /// The role of the post.
    var role: ErrorReport.Role { rareParts?.value.role ?? .failure }

    /// Whether the error was posted as an attempt, for which no rules are tried.
    @inline(__always)
    var isAttempt: Bool { extras?.value.rareParts?.value.role == .attempt }

    /// The promise of the outcome if the caller waits for it; otherwise nil.
    var promise: Promise<HandleOutcome>? { extras?.value.promise }

    // MARK: Flood limits

    /// The kind by which a flood limit groups the error; nil if no limit applies to it.
    var floodKind: FloodKind? { if case .limited(let kind) = rest { kind } else { extras?.value.floodKind } }

    /// The time of the post for a flood limit, measured with the bus's clock.
    var floodTime: Duration { extras?.value.clockTime ?? .nanoseconds(moment.sinceOrigin) }

    /// Sets the error's kind and the time of the post for a flood limit.
    ///
    /// The kind is nil if the limit doesn't apply to the error. The time is nil if the bus uses the system's clock.
    mutating func limit(by kind: FloodKind?, at clockTime: Duration?) {
        if kind == nil, clockTime == nil { return }
        if case .none = rest, let kind, clockTime == nil {
            rest = .limited(kind)
        } else {
            changeExtras { ($0.floodKind, $0.clockTime) = (kind, clockTime) }
        }
    }

    /// Makes the posting represent a number of errors, the oldest of which was posted at a given time.
    mutating func represent(_ occurrences: Int, since firstMoment: Moment) {
        if occurrences == 1 { return }
        var merged = rareParts?.value ?? .init()
        (merged.occurrences, merged.firstMoment) = (occurrences, firstMoment)
        changeExtras { $0.rareParts = Box(merged) }
    }

    private mutating func changeExtras(_ change: (inout Extras) -> Void) {
        var extras = extras?.value ?? Extras(floodKind: floodKind)
        change(&extras)
        rest = .more(Box(extras))
    }

    // MARK: The report

    /// Whether the posting reports a failed action; if its own actions fail, that goes only to the last resort.
    var isActionFailure: Bool { type(of: error.error) == ActionFailure.self }

    /// Returns the report that actions and observers receive.
    @inline(__always)
    consuming func report(sequence: UInt64 = 0, outcome: consuming HandleOutcome = .pending) -> ErrorReport {
        let (scope, metadata) = (scope?.forReports, extras?.value.metadata ?? [:])
        return ErrorReport(
            unboxed: error, rareParts: rareParts, source: source, moment: moment,
            givenMetadata: scope?.metadata(with: metadata) ?? metadata, scope: scope?.path ?? [], sequence: sequence,
            outcome: outcome)
    }
}
