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

    /// The location of the report's contents in the dispatch's caller.
    @safe private enum Origin {
        /// The posting, which stays in its slot during the dispatch, and the report's number in the order of delivery.
        case posting(UnsafePointer<Posting>, sequence: UInt64)
        /// The source of a directly handled error.
        case source(UnsafePointer<ErrorReport.Source>)
        /// The source of a directly handled error that might suspend, so that the source has no address.
        case ownSource(ErrorReport.Source)
        /// No location: the report is known, or no rule needs one.
        case none
    }

    private let origin: Origin
    private var found: ManualBox<Found>?

    /// Creates the notes on a posted error.
    ///
    /// - Parameters:
    ///   - posting: The posting, at its location in the dispatch's caller.
    ///   - sequence: The report's number in the order of delivery.
    @unsafe @inline(__always)
    init(of posting: UnsafePointer<Posting>, sequence: UInt64) {
        origin = unsafe .posting(posting, sequence: sequence)
    }

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

    /// The error as matchers see it; nil until a matcher is called.
    var subject: ErrorSubject? { found?.value.subject }

    /// The failures of actions so far; nil if there are none.
    @inline(__always)
    var failures: [ActionFailure]? { found?.value.failures }

    /// Sets the facts known from the previous part of the dispatch.
    mutating func know(_ progress: DispatchProgress) {
        if let findings = progress.findings { change { $0.subject = findings } }
        if let failures = progress.failures { change { $0.failures = failures } }
    }

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
        case .posting(let posting, let sequence):
            return unsafe posting.pointee.report(sequence: sequence, outcome: outcome ?? .pending)
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
