/// An object that makes the report of a dispatch's error when a rule first needs it.
class ReportMaker {
    /// Returns the report with an outcome.
    func report(with outcome: consuming HandleOutcome) -> ErrorReport { mustBeOverridden() }
}

/// The facts that a dispatch computes about its error on first need: the report for actions, the error as matchers see
/// it, and the failed actions.
///
/// Most rules need none of these facts. The type is noncopyable because it owns memory, which is allocated with the
/// first fact.
@safe struct DispatchNotes: ~Copyable {
    private struct Found {
        var report: ErrorReport?
        /// The outcome of reports that are created or lent from now on; nil if it is that of the last one.
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

    /// Creates the notes on an error whose report an object makes; the object isn't retained.
    @inline(__always)
    init(_ maker: Borrowed<ReportMaker>) { origin = .maker(maker) }

    /// Creates the notes on a directly handled error with a source that the dispatch's caller keeps; a copy of it would
    /// cost each dispatch 5 % more.
    @unsafe @inline(__always)
    init(from source: UnsafePointer<ErrorReport.Source>) { origin = unsafe .source(source) }

    /// Creates the notes on an error whose rules need no report.
    @inline(__always)
    init() { origin = .none }

    /// Creates the notes on a directly handled error.
    @inline(__always)
    init(from source: ErrorReport.Source) { origin = .ownSource(source) }

    /// Creates the notes on an error that is handled with its report.
    init(_ report: ErrorReport) {
        self.init()
        change { $0.report = report }
    }

    @inline(__always)
    deinit { if let found { Self.free(found) } }

    @inline(never)
    private static func free(_ found: ManualBox<Found>) { found.deallocate() }

    @inline(__always)
    private mutating func change<Result>(_ body: (inout Found) throws -> Result) rethrows -> Result {
        if let found { return try body(&found.value) }
        let made = ManualBox(Found())
        found = made
        return try body(&made.value)
    }

    /// The failures of actions so far; nil if there are none.
    @inline(__always)
    var failures: [ActionFailure]? { found?.value.failures }

    mutating func add(_ failure: ActionFailure) { change { $0.failures = ($0.failures ?? []) + [failure] } }

    /// Calls a closure with the error as matchers see it.
    @inline(__always)
    mutating func ask<Result>(_ error: UnboxedError, _ body: (inout ErrorSubject) -> Result) -> Result {
        change { found in
            if found.subject == nil { found.subject = ErrorSubject(error) }
            return body(&found.subject!)
        }
    }

    /// Sets the report's outcome from now on.
    mutating func carry(_ outcome: consuming HandleOutcome) { change { $0.outcome = outcome } }

    /// Takes the report of the error, created at the first call.
    private mutating func taken(for error: UnboxedError) -> ErrorReport {
        let (known, outcome) = change { ($0.report.take(), $0.outcome.take()) }
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
    mutating func made(for error: UnboxedError) -> ErrorReport { lend(for: error) { $0 } }

    /// Calls a closure with the report of the error, created at the first call; moves the report out during the call,
    /// because copying it costs as much as creating it.
    mutating func lend<Result>(for error: UnboxedError, to body: (ErrorReport) throws -> Result) rethrows -> Result {
        let report = taken(for: error)
        do {
            let result = try body(report)
            change { $0.report = consume report }
            return result
        } catch {
            change { $0.report = consume report }
            throw error
        }
    }
}
