/// What a poster hands over to the bus.
///
/// It stays in its slot in the mailbox until it is delivered, and is mostly read there. With a slot's state it fills
/// one cache line, the unit that moves from the poster's processor to the worker's. What only some postings have is in
/// an object of its own.
struct Posting: Sendable {
    /// What the poster finds out for a flood limit; the moment in nanoseconds, by the bus's clock.
    typealias FloodStamp = (code: ErrorCode, moment: Int64)

    /// What only some postings have is in a box, so that a posting fits its cache line.
    private enum Context {
        case bus
        case scope(ScopeContext)
        indirect case more(Extras)
    }

    /// The scope, with what only some postings have.
    private struct Extras: Sendable {
        var scope: ScopeContext?
        /// A role other than failure, a witness's mark, and the moment of the first error that the posting stands for.
        var details: ErrorReport.Details?
        /// The promise of a waiting poster.
        var promise: Promise<HandleOutcome>?
        var floodStamp: FloodStamp?
        /// Whether it is the notice of a cancellation, which a flood limit treats as a failure.
        var isCancellation = false
        /// How many errors the posting stands for.
        var occurrences = 1
    }

    let error: any Error
    let source: ErrorReport.Source
    let metadata: [String: String]
    let moment: Moment
    private var context: Context

    init(
        _ error: consuming any Error,
        as role: ErrorReport.Role = .failure,
        at source: ErrorReport.Source,
        metadata: [String: String] = [:],
        scope: ScopeContext? = nil,
        moment: Moment = .init(),
        promise: Promise<HandleOutcome>? = nil,
        floodStamp: FloodStamp? = nil,
        mark: (any AnyObject & Sendable)? = nil,
        isCancellation: Bool = false
    ) {
        self.error = error
        self.source = source
        self.metadata = metadata
        self.moment = moment
        let details = ErrorReport.Details.of(role, mark)
        context =
            if promise != nil || floodStamp != nil || details != nil {
                .more(
                    Extras(
                        scope: scope, details: details, promise: promise, floodStamp: floodStamp,
                        isCancellation: isCancellation))
            } else if let scope {
                .scope(scope)
            } else {
                .bus
            }
    }

    /// The notice of a failed action: its source is where the rule was registered, its scope the report's.
    init(noticeOf failure: ActionFailure, in scope: ScopeContext?) {
        self.init(failure, at: failure.rule.source, metadata: failure.report.metadata, scope: scope)
    }

    /// A posting that stands for other errors too, of which the oldest was posted at a moment.
    init(_ posting: Posting, standingFor occurrences: Int, since firstMoment: Moment) {
        self = posting
        var extras = extras ?? Extras(scope: scope)
        extras.occurrences = occurrences
        extras.details = .of(role, mark, since: firstMoment)
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

    /// The scope, not retained: the worker would contend with posters, who write to its reference count at every post.
    ///
    /// Reading this does not copy the posting in its slot.
    var unretainedScope: Unmanaged<ScopeContext>? {
        switch context {
        case .bus: nil
        case .scope(let scope): unsafe Unmanaged.passUnretained(scope)
        case .more(let extras): unsafe extras.scope.map { unsafe Unmanaged.passUnretained($0) }
        }
    }

    /// What the post is.
    var role: ErrorReport.Role { details?.role ?? .failure }

    /// Whether the error is that of an attempt, for which no rule is tried; reading this does not copy the posting.
    @inline(__always)
    var isAttempt: Bool { if case .more(let extras) = context { extras.details?.role == .attempt } else { false } }

    /// Whether a flood limit neither holds nor merges the post; reading this does not copy the posting.
    var escapesFloodLimit: Bool {
        if case .more(let extras) = context { extras.details?.role == .notice && !extras.isCancellation } else { false }
    }

    /// The promise of the outcome, if the poster waits for it.
    var promise: Promise<HandleOutcome>? { extras?.promise }

    /// The flood stamp; nil if the worker can find out everything itself.
    var floodStamp: FloodStamp? { extras?.floodStamp }

    /// When it was posted, as a flood limit reads it: in nanoseconds, by the bus's clock.
    var floodMoment: Int64 { floodStamp?.moment ?? moment.sinceOrigin }

    /// The mark of the bus's witness.
    var mark: (any AnyObject & Sendable)? { details?.mark }

    /// Role and mark; nil for a failure without a mark.
    private var details: ErrorReport.Details? { extras?.details }

    private var extras: Extras? { if case .more(let extras) = context { extras } else { nil } }

    /// Whether the poster waits for the outcome; reading this does not copy the posting in its slot.
    @inline(__always)
    var isWaitedFor: Bool { if case .more(let extras) = context { extras.promise != nil } else { false } }

    /// Whether it says that an action failed: failures of its own actions go to the last resort, and no further.
    var isActionFailure: Bool { type(of: error) == ActionFailure.self }

    /// Returns the report, as actions and observers get it.
    @inline(__always)
    consuming func report(sequence: UInt64 = 0, outcome: HandleOutcome = .pending) -> ErrorReport {
        // Most postings are in no scope and have no extras: two branches, so that these retain nothing for the others'
        // sake.
        if case .bus = context {
            return ErrorReport(
                error: error, details: nil, source: source, moment: moment, metadata: metadata, scope: [],
                sequence: sequence, outcome: outcome)
        }
        return fullReport(sequence, outcome)
    }

    @inline(never)
    private func fullReport(_ sequence: UInt64, _ outcome: HandleOutcome) -> ErrorReport {
        let (scope, extras) = (scope?.forReports, extras)
        return ErrorReport(
            error: error, details: extras?.details, source: source, moment: moment,
            metadata: scope?.metadata(with: metadata) ?? metadata, scope: scope?.path ?? [], sequence: sequence,
            occurrences: extras?.occurrences ?? 1, outcome: outcome)
    }
}
