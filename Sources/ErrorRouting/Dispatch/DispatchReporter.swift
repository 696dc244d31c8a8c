/// An object that creates the report of a dispatch's error when a rule first needs the report.
class ReportMaker {
    /// Returns the report with a given outcome.
    func report(with outcome: consuming HandleOutcome) -> ErrorReport { mustBeOverridden() }
}

/// Creates the report of a dispatch's error when an action first needs it.
///
/// The reporter also stores what the report depends on: the outcome so far, the failed actions, and the error as
/// matchers see it. Most rules need none of these. The type is noncopyable because it owns memory, which is allocated
/// on first use.
@safe struct DispatchReporter: ~Copyable {
    private struct Found {
        var report: ErrorReport?
        /// The outcome for the reports that are returned from now on; nil if the previous report's outcome still holds.
        var outcome: HandleOutcome?
        var subject: ErrorSubject?
        /// The failures of actions; nil if there are none.
        var failures: [ActionFailure]?
    }

    /// The origin of the report.
    @safe enum Origin {
        /// An object that creates the report; the dispatch's caller retains the object.
        case maker(Borrowed<ReportMaker>)
        /// The source location of a directly handled error; the dispatch's caller keeps the location.
        ///
        /// Copying the location would increase the cost of each dispatch by 5 %.
        case source(UnsafePointer<ErrorReport.Source>)
        /// The source location of a directly handled error whose handling might suspend, so that the location has no
        /// address.
        case ownSource(ErrorReport.Source)
        /// No origin, because the report is known, or a map's rules don't need it.
        case none
    }

    private let origin: Origin
    private var found: Place<Found>?

    @inline(__always)
    init(_ origin: Origin) { self.origin = origin }

    /// Creates the reporter for an error that is handled together with its report.
    init(_ report: ErrorReport) {
        self.init(.none)
        withFound { $0.report = report }
    }

    @inline(__always)
    deinit { if let found { Self.free(found) } }

    @inline(never)
    private static func free(_ found: Place<Found>) { found.destroy() }

    @inline(__always)
    private mutating func withFound<Result>(_ body: (inout Found) throws -> Result) rethrows -> Result {
        if let found { return try body(&found.value) }
        let made = Place(Found())
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

    /// Sets the outcome of the reports that are returned from now on.
    mutating func setOutcome(_ outcome: consuming HandleOutcome) { withFound { $0.outcome = outcome } }

    /// Removes and returns the report of the error; creates it on the first call.
    private mutating func takeReport(of error: UnboxedError) -> ErrorReport {
        let (known, outcome) = withFound { ($0.report.take(), $0.outcome.take()) }
        if var report = known {
            if let outcome { report.outcome = outcome }
            return report
        }
        let source: ErrorReport.Source
        switch origin {
        case .maker(let maker): return maker.read { $0.report(with: outcome ?? .pending) }
        case .source(let known): source = unsafe known.pointee
        case .ownSource(let own): source = own
        case .none: preconditionFailure("a rule of a map needs the report")
        }
        // Use the time that the system's clock returns: converting an instant would cost more than everything else
        // here.
        return ErrorReport(
            unboxed: error, rareParts: nil, source: source, moment: .init(), givenMetadata: [:], scope: [], sequence: 0,
            outcome: outcome ?? .pending)
    }

    /// Returns the report of the error, created on the first call.
    @inline(never)
    mutating func report(of error: UnboxedError) -> ErrorReport { withReport(of: error) { $0 } }

    /// Calls a closure with the report of the error, created on the first call.
    ///
    /// The report is moved out during the call, because copying it costs as much as creating it.
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
