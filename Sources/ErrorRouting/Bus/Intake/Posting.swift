/// What a poster hands over.
///
/// It lies in the mailbox until it is delivered, and is mostly read where it lies. With a slot's state it fills one
/// cache line, since that is what goes from the poster's processor to the worker's; what only some have is apart.
struct Posting: Sendable {
    /// What a flood limit goes by.
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

    /// What is needed by those who wait, and under a flood limit.
    private final class Extras: Sendable {
        let scope: ScopeContext?
        let promise: Promise<HandleOutcome>?
        let floodStamp: FloodStamp?

        init(_ scope: ScopeContext?, _ promise: Promise<HandleOutcome>?, _ floodStamp: FloodStamp?) {
            self.scope = scope
            self.promise = promise
            self.floodStamp = floodStamp
        }
    }

    let error: any Error
    let source: ErrorReport.Source
    let metadata: [String: String]
    let moment: ErrorReport.Moment
    private let context: Context

    init(
        _ error: consuming any Error,
        at source: ErrorReport.Source,
        metadata: [String: String] = [:],
        scope: ScopeContext? = nil,
        moment: ErrorReport.Moment = .init(),
        promise: Promise<HandleOutcome>? = nil,
        floodStamp: FloodStamp? = nil
    ) {
        self.error = error
        self.source = source
        self.metadata = metadata
        self.moment = moment
        context =
            if promise != nil || floodStamp != nil {
                .more(Extras(scope, promise, floodStamp))
            } else if let scope {
                .scope(scope)
            } else {
                .bus
            }
    }

    /// The scope in which it was posted.
    var scope: ScopeContext? {
        switch context {
        case .bus: nil
        case .scope(let scope): scope
        case .more(let extras): extras.scope
        }
    }

    /// That scope, not retained, since the posting retains it: posters write to the scope's count at every post.
    ///
    /// Nothing but a look, so that for its sake a posting is not copied where it lies.
    var unretainedScope: Unmanaged<ScopeContext>? {
        switch context {
        case .bus: nil
        case .scope(let scope): unsafe Unmanaged.passUnretained(scope)
        case .more(let extras): unsafe extras.scope.map { unsafe Unmanaged.passUnretained($0) }
        }
    }

    /// Who waits for the outcome.
    var promise: Promise<HandleOutcome>? { extras?.promise }

    /// Nil for notices, and where there is no flood limit.
    var floodStamp: FloodStamp? { extras?.floodStamp }

    /// Whether it has a promise or a flood stamp; nothing but a look, like ``unretainedScope``.
    var hasExtras: Bool { if case .more = context { true } else { false } }

    private var extras: Extras? {
        if case .more(let extras) = context { return extras }
        return nil
    }

    /// The report, as actions and observers get it.
    @inline(__always)
    consuming func report(
        sequence: UInt64 = 0,
        occurrences: Int = 1,
        outcome: HandleOutcome = .pending
    ) -> ErrorReport {
        // Most are in no scope: two ways, so that nothing is retained for what only some need.
        if let scope { return report(of: scope.forReports, sequence, occurrences, outcome) }
        return ErrorReport(
            error: error, source: source, moment: moment, metadata: metadata, scope: [], sequence: sequence,
            occurrences: occurrences, outcome: outcome)
    }

    @inline(never)
    private func report(
        of scope: ScopeContext.Summary, _ sequence: UInt64, _ occurrences: Int, _ outcome: HandleOutcome
    ) -> ErrorReport {
        ErrorReport(
            error: error, source: source, moment: moment, metadata: scope.metadata(with: metadata), scope: scope.path,
            sequence: sequence, occurrences: occurrences, outcome: outcome)
    }
}
