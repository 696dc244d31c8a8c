/// What a poster hands over to the bus.
///
/// It stays in its place in the mailbox until it is delivered, and is mostly read there. With a slot's state it fills
/// one cache line, the unit that moves from the poster's processor to the worker's. What only some postings have is in
/// an object of its own.
struct Posting: Sendable {
    /// What the poster finds out for a flood limit.
    struct FloodStamp: Sendable {
        let code: ErrorCode
        /// In nanoseconds, by the bus's clock.
        let moment: Int64
    }

    private enum Context {
        case bus
        case scope(ScopeContext)
        case more(Extras)
    }

    /// The scope, with what only some postings have: a role other than failure, the promise of a waiting poster, a
    /// flood stamp, and a witness's mark.
    private final class Extras: Sendable {
        let scope: ScopeContext?
        let label: ErrorReport.Label?
        let promise: Promise<HandleOutcome>?
        let floodStamp: FloodStamp?

        init(
            _ scope: ScopeContext?, _ label: ErrorReport.Label?, _ promise: Promise<HandleOutcome>?,
            _ floodStamp: FloodStamp?
        ) {
            (self.scope, self.label, self.promise, self.floodStamp) = (scope, label, promise, floodStamp)
        }
    }

    let error: any Error
    let source: ErrorReport.Source
    let metadata: [String: String]
    let moment: ErrorReport.Moment
    private let context: Context

    init(
        _ error: consuming any Error,
        as role: ErrorReport.Role = .failure,
        at source: ErrorReport.Source,
        metadata: [String: String] = [:],
        scope: ScopeContext? = nil,
        moment: ErrorReport.Moment = .init(),
        promise: Promise<HandleOutcome>? = nil,
        floodStamp: FloodStamp? = nil,
        mark: (any AnyObject & Sendable)? = nil
    ) {
        self.error = error
        self.source = source
        self.metadata = metadata
        self.moment = moment
        let label = ErrorReport.Label.of(role, mark)
        context =
            if promise != nil || floodStamp != nil || label != nil {
                .more(Extras(scope, label, promise, floodStamp))
            } else if let scope {
                .scope(scope)
            } else {
                .bus
            }
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
    /// Reading this does not copy the posting in its place.
    var unretainedScope: Unmanaged<ScopeContext>? {
        switch context {
        case .bus: nil
        case .scope(let scope): unsafe Unmanaged.passUnretained(scope)
        case .more(let extras): unsafe extras.scope.map { unsafe Unmanaged.passUnretained($0) }
        }
    }

    /// What the post is.
    var role: ErrorReport.Role { label?.role ?? .failure }

    /// The promise of the outcome, if the poster waits for it.
    var promise: Promise<HandleOutcome>? { extras?.promise }

    /// The flood stamp; nil for notices, and if the worker can find out everything itself.
    var floodStamp: FloodStamp? { extras?.floodStamp }

    /// The mark of the bus's witness.
    var mark: (any AnyObject & Sendable)? { label?.mark }

    /// Role and mark; nil for a failure without a mark.
    private var label: ErrorReport.Label? { extras?.label }

    /// Whether there is any of these; reading this does not copy the posting in its place.
    var hasExtras: Bool { if case .more = context { true } else { false } }

    private var extras: Extras? {
        if case .more(let extras) = context { return extras }
        return nil
    }

    /// Whether the poster waits for the outcome; reading this does not copy the posting in its place.
    @inline(__always)
    var isWaitedFor: Bool { if case .more(let extras) = context { extras.promise != nil } else { false } }

    /// Returns the report, as actions and observers get it.
    @inline(__always)
    consuming func report(
        sequence: UInt64 = 0, occurrences: Int = 1, firstMoment: ErrorReport.Moment? = nil,
        outcome: HandleOutcome = .pending
    ) -> ErrorReport {
        // Most postings are in no scope: two branches, so that these retain nothing for the others' sake.
        if let scope { return report(of: scope.forReports, sequence, occurrences, firstMoment, outcome) }
        return ErrorReport(
            error: error, label: label, source: source, moment: moment, firstMoment: firstMoment, metadata: metadata,
            scope: [], sequence: sequence, occurrences: occurrences, outcome: outcome)
    }

    @inline(never)
    private func report(
        of scope: ScopeContext.Summary, _ sequence: UInt64, _ occurrences: Int, _ firstMoment: ErrorReport.Moment?,
        _ outcome: HandleOutcome
    ) -> ErrorReport {
        ErrorReport(
            error: error, label: label, source: source, moment: moment, firstMoment: firstMoment,
            metadata: scope.metadata(with: metadata), scope: scope.path, sequence: sequence, occurrences: occurrences,
            outcome: outcome)
    }
}

extension Posting: ReportMaker {
    static func report(
        of error: any Error, keptAt address: UnsafeRawPointer, sequence: UInt64, outcome: HandleOutcome?
    ) -> ErrorReport {
        unsafe address.assumingMemoryBound(to: Posting.self).pointee.report(
            sequence: sequence, outcome: outcome ?? .pending)
    }
}

extension LazyReport {
    /// Does not copy the posting, which stays where it lies in the mailbox during the dispatch.
    init(_ posting: UnsafePointer<Posting>, sequence: UInt64) {
        unsafe self.init(keptAt: posting, by: Posting.self, sequence: sequence)
    }
}
