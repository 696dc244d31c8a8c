/// A post as the caller passes it to the bus.
///
/// It stays in its slot in the mailbox until it is delivered and is usually read there. With a slot's state, it fills
/// one cache line, the unit that moves from the caller's processor to the worker's. Fields that only some postings have
/// are in a separate object.
struct Posting: Sendable {
    /// The caller's values for a flood limit; the time is in nanoseconds, by the bus's clock.
    struct FloodStamp: Sendable {
        let code: ErrorCode
        let moment: Int64
    }

    /// Fields that only some postings have are boxed so that a posting fits its cache line.
    private enum Context {
        case bus
        case scope(ScopeContext)
        indirect case more(Extras)
    }

    /// The scope, with the fields that only some postings have.
    private struct Extras: Sendable {
        var scope: ScopeContext?
        /// A role other than failure, and the rarer parts of a report.
        var rareParts: ErrorReport.RareParts?
        /// The promise of a waiting caller.
        var promise: Promise<HandleOutcome>?
        var floodStamp: FloodStamp?
        /// Whether a flood limit neither holds back nor merges the post.
        var escapesFloodLimit = false
        /// The number of errors that the posting stands for.
        var occurrences = 1
    }

    let error: UnboxedError
    /// Where the error was posted.
    let source: ErrorReport.Source
    let metadata: [String: String]
    let moment: Moment
    private var context: Context

    init(
        _ error: consuming UnboxedError,
        rareParts: ErrorReport.RareParts? = nil,
        at source: ErrorReport.Source,
        metadata: [String: String] = [:],
        scope: ScopeContext? = nil,
        moment: Moment = .init(),
        promise: Promise<HandleOutcome>? = nil,
        floodStamp: FloodStamp? = nil,
        escapesFloodLimit: Bool = false
    ) {
        self.error = error
        self.source = source
        self.metadata = metadata
        self.moment = moment
        context =
            if promise != nil || floodStamp != nil || rareParts != nil || escapesFloodLimit {
                .more(
                    Extras(
                        scope: scope, rareParts: rareParts, promise: promise, floodStamp: floodStamp,
                        escapesFloodLimit: escapesFloodLimit))
            } else if let scope {
                .scope(scope)
            } else {
                .bus
            }
    }

    /// Creates the notice of a failed action, with the rule's source location and the report's scope.
    ///
    /// It also has the report's log: if every error's action fails, the notice of an error that a log posted must not
    /// make the log post another one.
    init(noticeOf failure: ActionFailure, in scope: ScopeContext?) {
        let log = failure.report.rareParts?.log?.forNotice
        self.init(
            UnboxedError(failure), rareParts: .of(.failure, in: log, by: failure.report.rareParts?.table),
            at: failure.rule.source,
            metadata: failure.report.givenMetadata, scope: scope)
    }

    /// Creates a posting that also stands for other errors, with the time of the oldest of them.
    init(_ posting: Posting, standingFor occurrences: Int, since firstMoment: Moment) {
        self = posting
        var extras = extras ?? Extras(scope: scope)
        extras.occurrences = occurrences
        extras.rareParts = rareParts?.since(firstMoment) ?? .of(.failure, since: firstMoment)
        context = .more(extras)
    }

    /// The scope of the post; nil for the bus itself.
    var scope: ScopeContext? {
        switch context {
        case .bus: nil
        case .scope(let scope): scope
        case .more(let extras): extras.scope
        }
    }

    /// The scope, not retained; otherwise the worker would contend with callers, which write to its reference count at
    /// every post.
    ///
    /// Reading this doesn't copy the posting in its slot.
    var unretainedScope: Borrowed<ScopeContext>? {
        switch context {
        case .bus: nil
        case .scope(let scope): Borrowed(scope)
        case .more(let extras): extras.scope.map(Borrowed.init)
        }
    }

    /// The role of the report.
    var role: ErrorReport.Role { rareParts?.role ?? .failure }

    /// Whether the error is that of an attempt, for which no rule is tried; reading this doesn't copy the posting.
    @inline(__always)
    var isAttempt: Bool { if case .more(let extras) = context { extras.rareParts?.role == .attempt } else { false } }

    /// Whether a flood limit neither holds back nor merges the post; reading this doesn't copy the posting.
    var escapesFloodLimit: Bool {
        if case .more(let extras) = context { extras.escapesFloodLimit } else { false }
    }

    /// The promise of the outcome, if the caller waits for it.
    var promise: Promise<HandleOutcome>? { extras?.promise }

    /// The time of the post for a flood limit, in nanoseconds by the bus's clock.
    var floodMoment: Int64 { extras?.floodStamp?.moment ?? moment.sinceOrigin }

    /// The parts for a flood limit that only some postings have: the role, the stamp, which is nil if the worker can
    /// compute everything itself, and the part of the kind that the mark and the log decide.
    @inline(__always)
    var floodParts: (role: ErrorReport.Role, stamp: FloodStamp?, mark: ObjectIdentifier?) {
        guard case .more(let extras) = context else { return (.failure, nil, nil) }
        return (extras.rareParts?.role ?? .failure, extras.floodStamp, extras.rareParts?.floodMark)
    }

    /// The report's rare parts; nil for a failure that has none.
    private var rareParts: ErrorReport.RareParts? { extras?.rareParts }

    private var extras: Extras? { if case .more(let extras) = context { extras } else { nil } }

    /// Whether the caller waits for the outcome; reading this doesn't copy the posting in its slot.
    @inline(__always)
    var isWaitedFor: Bool { if case .more(let extras) = context { extras.promise != nil } else { false } }

    /// Whether the posting reports a failed action; failures of its own actions go only to the last resort.
    var isActionFailure: Bool { type(of: error.error) == ActionFailure.self }

    /// Returns the report that actions and observers receive.
    @inline(__always)
    consuming func report(sequence: UInt64 = 0, outcome: HandleOutcome = .pending) -> ErrorReport {
        // Use two branches: most postings have no scope and no extras, and must not retain anything for the sake of the
        // others.
        if case .bus = context {
            return ErrorReport(
                unboxed: error, rareParts: nil, source: source, moment: moment, givenMetadata: metadata, scope: [],
                sequence: sequence, outcome: outcome)
        }
        return fullReport(sequence, outcome)
    }

    @inline(never)
    private func fullReport(_ sequence: UInt64, _ outcome: HandleOutcome) -> ErrorReport {
        let (scope, extras) = (scope?.forReports, extras)
        return ErrorReport(
            unboxed: error, rareParts: extras?.rareParts, source: source, moment: moment,
            givenMetadata: scope?.metadata(with: metadata) ?? metadata, scope: scope?.path ?? [], sequence: sequence,
            occurrences: extras?.occurrences ?? 1, outcome: outcome)
    }
}
