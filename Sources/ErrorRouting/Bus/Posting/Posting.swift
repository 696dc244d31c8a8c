/// A post as the caller passes it to the bus.
///
/// Together with the state of its slot in the mailbox, it fills one cache line, the unit that moves from the caller's
/// processor to the worker's. Fields that only some postings have are in a box.
struct Posting: Sendable {
    private enum Context {
        case bus
        case scope(ScopeContext)
        /// A post to the bus itself under a flood limit.
        case limited(FloodKind)
        case more(Box<Extras>)
    }

    /// The scope, and the fields that only some postings have.
    private struct Extras: Sendable {
        var scope: ScopeContext?
        /// The parts of the report that most reports don't have, including a role other than failure.
        var rareParts: Box<ErrorReport.RareParts>?
        /// The promise of a waiting caller.
        var promise: Promise<HandleOutcome>?
        /// The kind by which a flood limit groups the error; nil if no limit applies to it.
        var floodKind: FloodKind?
        /// The time of the post in nanoseconds, measured with the bus's clock; nil for the system's clock.
        var clockTime: Int64?
    }

    let error: UnboxedError
    /// Where the error was posted.
    let source: ErrorReport.Source
    let metadata: [String: String]
    let moment: Moment
    private var context: Context

    @inline(__always)
    init(
        _ error: consuming UnboxedError, rareParts: Box<ErrorReport.RareParts>? = nil, at source: ErrorReport.Source,
        metadata: [String: String] = [:], scope: ScopeContext? = nil, moment: Moment = .init(),
        promise: Promise<HandleOutcome>? = nil
    ) {
        self.error = error
        self.source = source
        self.metadata = metadata
        self.moment = moment
        context =
            if promise != nil || rareParts != nil {
                .more(Box(Extras(scope: scope, rareParts: rareParts, promise: promise)))
            } else if let scope {
                .scope(scope)
            } else {
                .bus
            }
    }

    /// Creates the notice about a failed action, with the rule's source location and the report's scope.
    ///
    /// The notice also has the report's log: if an error that was posted during logging has a failing action, the
    /// notice must not make the log post another error.
    init(noticeOf failure: ActionFailure, in scope: ScopeContext?) {
        let (report, parts) = (failure.report, failure.report.rareParts?.value)
        let own = ErrorReport.RareParts(log: parts?.log?.forNotice, table: parts?.table)
        self.init(
            UnboxedError(failure), rareParts: own.boxed, at: failure.rule.source, metadata: report.givenMetadata,
            scope: scope)
    }

    private var extras: Extras? { if case .more(let extras) = context { extras.value } else { nil } }

    /// The scope of the post; nil for the bus itself.
    var scope: ScopeContext? {
        switch context {
        case .bus, .limited: nil
        case .scope(let scope): scope
        case .more(let extras): extras.value.scope
        }
    }

    /// The scope, not retained.
    ///
    /// If the worker retained the scope, it would contend with callers, which write to the scope's reference count on
    /// every post.
    @inline(__always)
    var unretainedScope: Borrowed<ScopeContext>? {
        switch context {
        case .bus, .limited: nil
        case .scope(let scope): Borrowed(scope)
        case .more(let extras): extras.value.scope.map(Borrowed.init)
        }
    }

    /// The parts of the report that most reports don't have; nil for a failure without such parts.
    var rareParts: Box<ErrorReport.RareParts>? { extras?.rareParts }

    /// The role of the post.
    var role: ErrorReport.Role { rareParts?.value.role ?? .failure }

    /// Whether the error was posted as an attempt, for which no rules are tried.
    @inline(__always)
    var isAttempt: Bool {
        if case .more(let extras) = context { extras.value.rareParts?.value.role == .attempt } else { false }
    }

    /// The promise of the outcome if the caller waits for it; otherwise nil.
    var promise: Promise<HandleOutcome>? { extras?.promise }

    /// Whether the caller waits for the outcome.
    @inline(__always)
    var isWaitedFor: Bool { if case .more(let extras) = context { extras.value.promise != nil } else { false } }

    // MARK: Flood limits

    /// The kind by which a flood limit groups the error; nil if no limit applies to it.
    var floodKind: FloodKind? { if case .limited(let kind) = context { kind } else { extras?.floodKind } }

    /// The time of the post for a flood limit, in nanoseconds, measured with the bus's clock.
    var floodTime: Int64 { extras?.clockTime ?? moment.sinceOrigin }

    /// Sets the error's kind and the time of the post for a flood limit.
    ///
    /// The kind is nil if the limit doesn't apply to the error. The time is nil if the bus uses the system's clock.
    mutating func limit(by kind: FloodKind?, at clockTime: Int64?) {
        if kind == nil, clockTime == nil { return }
        if case .bus = context, let kind, clockTime == nil {
            context = .limited(kind)
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
        var extras = extras ?? Extras(scope: scope)
        change(&extras)
        context = .more(Box(extras))
    }

    // MARK: The report

    /// Whether the posting reports a failed action; if its own actions fail, that goes only to the last resort.
    var isActionFailure: Bool { type(of: error.error) == ActionFailure.self }

    /// Returns the report that actions and observers receive.
    @inline(__always)
    consuming func report(sequence: UInt64 = 0, outcome: consuming HandleOutcome = .pending) -> ErrorReport {
        // Use two branches: most postings have no scope and no extras, so they must not retain anything.
        switch context {
        case .bus, .limited:
            ErrorReport(
                unboxed: error, rareParts: nil, source: source, moment: moment, givenMetadata: metadata, scope: [],
                sequence: sequence, outcome: outcome)
        case .scope, .more: fullReport(sequence, outcome)
        }
    }

    @inline(never)
    private func fullReport(_ sequence: UInt64, _ outcome: HandleOutcome) -> ErrorReport {
        let scope = scope?.forReports
        return ErrorReport(
            unboxed: error, rareParts: rareParts, source: source, moment: moment,
            givenMetadata: scope?.metadata(with: metadata) ?? metadata, scope: scope?.path ?? [], sequence: sequence,
            outcome: outcome)
    }
}
