/// An object that makes the report of a dispatch's error when a rule first needs it.
class ReportMaker {
    /// Returns the report with an outcome.
    func report(with outcome: consuming HandleOutcome) -> ErrorReport { mustBeOverridden() }
}

/// Makes the report of a dispatch's error when an action first needs it, and keeps what it consists of: the outcome so
/// far, the failed actions, and the error as matchers see it.
///
/// Most rules need none of these. The type is noncopyable because it owns memory, which is allocated on first need.
@safe struct DispatchReporter: ~Copyable {
    private struct Found {
        var report: ErrorReport?
        /// The outcome of reports that are returned from now on; nil if it is that of the last one.
        var outcome: HandleOutcome?
        var subject: ErrorSubject?
        /// Nil while there are no failures.
        var failures: [ActionFailure]?
    }

    /// Where the report comes from.
    @safe private enum Origin {
        /// An object that makes it, which the dispatch's caller retains.
        case maker(Borrowed<ReportMaker>)
        /// The source of a directly handled error.
        case source(UnsafePointer<ErrorReport.Source>)
        /// The source of a directly handled error that might suspend, so that the source has no address.
        case ownSource(ErrorReport.Source)
        /// No location: the report is known, or no rule needs one.
        case none
    }

    private let origin: Origin
    private var found: ManualBox<Found>?

    /// Creates the reporter of an error whose report an object makes; the object isn't retained.
    @inline(__always)
    init(_ maker: Borrowed<ReportMaker>) { origin = .maker(maker) }

    /// Creates the reporter of a directly handled error with a source that the dispatch's caller keeps; a copy of it would
    /// cost each dispatch 5 % more.
    @unsafe @inline(__always)
    init(from source: UnsafePointer<ErrorReport.Source>) { origin = unsafe .source(source) }

    /// Creates the reporter of an error whose rules need no report.
    @inline(__always)
    init() { origin = .none }

    /// Creates the reporter of a directly handled error.
    @inline(__always)
    init(from source: ErrorReport.Source) { origin = .ownSource(source) }

    /// Creates the reporter of an error that is handled with its report.
    init(_ report: ErrorReport) {
        self.init()
        withFound { $0.report = report }
    }

    @inline(__always)
    deinit { if let found { Self.free(found) } }

    @inline(never)
    private static func free(_ found: ManualBox<Found>) { found.deallocate() }

    @inline(__always)
    private mutating func withFound<Result>(_ body: (inout Found) throws -> Result) rethrows -> Result {
        if let found { return try body(&found.value) }
        let made = ManualBox(Found())
        found = made
        return try body(&made.value)
    }

    /// The failures of actions so far; nil if there are none.
    @inline(__always)
    var failures: [ActionFailure]? { found?.value.failures }

    mutating func add(_ failure: ActionFailure) { withFound { $0.failures = ($0.failures ?? []) + [failure] } }

    /// Calls a closure with the error as matchers see it.
    @inline(__always)
    mutating func withSubject<Result>(of error: UnboxedError, _ body: (inout ErrorSubject) -> Result) -> Result {
        withFound { found in
            if found.subject == nil { found.subject = ErrorSubject(error) }
            return body(&found.subject!)
        }
    }

    /// Sets the outcome that the report has from now on.
    mutating func setOutcome(_ outcome: consuming HandleOutcome) { withFound { $0.outcome = outcome } }

    /// Takes the report of the error, created at the first call.
    private mutating func takeReport(of error: UnboxedError) -> ErrorReport {
        let (known, outcome) = withFound { ($0.report.take(), $0.outcome.take()) }
        if var report = known {
            if let outcome { report.outcome = outcome }
            return report
        }
        switch origin {
        case .maker(let maker): return maker.read { $0.report(with: outcome ?? .pending) }
        case .source(let source): return Self.report(of: error, from: unsafe source.pointee, outcome)
        case .ownSource(let source): return Self.report(of: error, from: source, outcome)
        case .none: return Self.report(of: error, from: .init(), outcome)
        }
    }

    /// Returns the report of a directly handled error.
    @inline(__always)
    private static func report(
        of error: UnboxedError, from source: ErrorReport.Source, _ outcome: HandleOutcome?
    ) -> ErrorReport {
        // Use the time as the system's clock returns it: converting an instant would cost more than all the rest.
        ErrorReport(
            unboxed: error, rareParts: nil, source: source, moment: .init(), givenMetadata: [:], scope: [], sequence: 0,
            outcome: outcome ?? .pending)
    }

    /// Returns the report of the error, created at the first call.
    @inline(never)
    mutating func report(of error: UnboxedError) -> ErrorReport { withReport(of: error) { $0 } }

    /// Calls a closure with the report of the error, created at the first call; moves the report out during the call,
    /// because copying it costs as much as creating it.
    mutating func withReport<Result>(of error: UnboxedError, _ body: (ErrorReport) throws -> Result) rethrows -> Result
    {
        let report = takeReport(of: error)
        do {
            let result = try body(report)
            withFound { $0.report = consume report }
            return result
        } catch {
            withFound { $0.report = consume report }
            throw error
        }
    }
}
