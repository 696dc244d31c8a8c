import Foundation

/// What a dispatch finds out about its error when a rule first asks for it, since most rules need none of it: the
/// report that actions get, what matchers see of the error, and which actions have failed.
///
/// Noncopyable, since it owns memory, which is allocated when something is first made or found out.
@safe struct DispatchNotes: ~Copyable {
    private struct Found {
        var report: ErrorReport?
        /// The outcome that reports carry if they are made or lent from now on; nil if it is that of the last one.
        var outcome: HandleOutcome?
        var subject: ErrorSubject?
        /// Nil while there are none.
        var failures: [ActionFailure]?
    }

    /// Where the dispatch's caller keeps what the report is made from.
    @safe private enum Origin {
        /// The posting, which stays in its slot during the dispatch, and the report's number in the order of delivery.
        case posting(UnsafePointer<Posting>, sequence: UInt64)
        /// Where an error comes from that is handled directly.
        case source(UnsafePointer<ErrorReport.Source>)
        /// Nowhere: the report is known, or is made from ``DispatchNotes/source``, or no rule needs one.
        case none
    }

    private let origin: Origin
    /// Where an error comes from that is handled directly and may suspend, so that the source has no address.
    private let source: ErrorReport.Source?
    private var found: UnsafeMutablePointer<Found>?

    /// The report of a posted error.
    ///
    /// - Parameters:
    ///   - posting: The posting, where the dispatch's caller keeps it.
    ///   - sequence: The report's number in the order of delivery.
    @unsafe @inline(__always)
    init(of posting: UnsafePointer<Posting>, sequence: UInt64) {
        unsafe (origin, source, found) = unsafe (.posting(posting, sequence: sequence), nil, nil)
    }

    /// The report of an error that is handled directly, from a source that the dispatch's caller keeps.
    @unsafe @inline(__always)
    init(from source: UnsafePointer<ErrorReport.Source>) {
        unsafe (origin, self.source, found) = unsafe (.source(source), nil, nil)
    }

    /// The report of an error that is handled directly; without a source, for rules that need no report.
    @inline(__always)
    init(from source: ErrorReport.Source? = nil) { unsafe (origin, self.source, found) = (.none, source, nil) }

    /// The report of an error that is handled with it.
    init(_ report: ErrorReport) {
        self.init()
        change { $0.report = report }
    }

    @inline(__always)
    deinit { if let found = unsafe found { unsafe Self.end(found) } }

    @inline(never)
    private static func end(_ found: UnsafeMutablePointer<Found>) {
        unsafe found.deinitialize(count: 1)
        unsafe free(UnsafeMutableRawPointer(found))
    }

    @inline(__always)
    private mutating func change<Result>(_ body: (inout Found) throws -> Result) rethrows -> Result {
        if let found = unsafe found { return try unsafe body(&found.pointee) }
        // `allocate(capacity:)` asks for an alignment that `malloc` has anyway, which on Linux costs as much again.
        guard let memory = unsafe malloc(MemoryLayout<Found>.size) else { fatalError("no memory for a report") }
        let made = unsafe memory.bindMemory(to: Found.self, capacity: 1)
        unsafe made.initialize(to: Found())
        unsafe found = unsafe made
        return try unsafe body(&made.pointee)
    }

    /// The error as matchers see it; nil until one is asked.
    var subject: ErrorSubject? { unsafe found?.pointee.subject }

    /// The failures of actions so far; nil if there are none.
    @inline(__always)
    var failures: [ActionFailure]? { unsafe found?.pointee.failures }

    /// Sets what is known from the part of the dispatch before this.
    mutating func know(_ progress: DispatchProgress) {
        if let findings = progress.findings { change { $0.subject = findings } }
        if let failures = progress.failures { change { $0.failures = failures } }
    }

    /// Calls a closure with the error as matchers see it.
    @inline(__always)
    mutating func ask<Result>(_ error: any Error, _ body: (inout ErrorSubject) -> Result) -> Result {
        change { found in
            if found.subject == nil { found.subject = ErrorSubject(error) }
            return body(&found.subject!)
        }
    }

    /// Sets the outcome that the report carries from now on.
    mutating func carry(_ outcome: consuming HandleOutcome) { change { $0.outcome = outcome } }

    /// Takes the report of the error, made at the first call.
    private mutating func taken(for error: any Error) -> ErrorReport {
        let (known, outcome) = change { ($0.report.take(), $0.outcome.take()) }
        if var report = known {
            if let outcome { report.outcome = outcome }
            return report
        }
        switch origin {
        case .posting(let posting, let sequence):
            return unsafe posting.pointee.report(sequence: sequence, outcome: outcome ?? .pending)
        case .source(let source): return Self.report(of: error, from: unsafe source.pointee, outcome)
        case .none: return Self.report(of: error, from: source ?? .init(), outcome)
        }
    }

    /// Returns the report of an error that is handled directly.
    @inline(__always)
    private static func report(
        of error: any Error, from source: ErrorReport.Source, _ outcome: HandleOutcome?
    ) -> ErrorReport {
        // With the moment as the system's clock tells it: to convert an instant would cost more than all the rest.
        ErrorReport(
            error: error, details: nil, source: source, moment: .init(), metadata: [:], scope: [], sequence: 0,
            outcome: outcome ?? .pending)
    }

    /// Returns the report of the error, made at the first call.
    @inline(never)
    mutating func made(for error: any Error) -> ErrorReport { lend(for: error) { $0 } }

    /// Calls a closure with the report of the error, made at the first call; moves the report out meanwhile, since to
    /// copy it costs as much as to make it.
    mutating func lend<Result>(for error: any Error, to body: (ErrorReport) throws -> Result) rethrows -> Result {
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
