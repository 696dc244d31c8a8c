/// A type of value that an error's report is made from; the dispatch's caller keeps the value at its address meanwhile.
protocol ReportMaker {
    /// Returns the report of an error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - address: The address of the value.
    ///   - sequence: The report's number in the order of delivery.
    ///   - outcome: The outcome so far; nil if there is none yet.
    static func report(
        of error: any Error, keptAt address: UnsafeRawPointer, sequence: UInt64, outcome: HandleOutcome?
    ) -> ErrorReport
}

/// What a dispatch finds out about its error when a rule first asks for it, since most rules need none of it: the
/// report that actions get, and what matchers see of the error.
///
/// Noncopyable, since to copy and destroy it would cost as much as to handle an error.
@safe struct LazyReport: ~Copyable {
    /// What makes the report; nil if that is ``source``, or if there is none but the ``place`` of a map's value.
    ///
    /// This and the next two are plain words, so that a report which no action needs costs next to nothing.
    private let maker: (any ReportMaker.Type)?
    private let address: UnsafeMutableRawPointer?
    private let sequence: UInt64
    /// Where an error comes from that is handled directly.
    private var source: ErrorReport.Source?
    private var report: ErrorReport?
    /// The outcome that reports carry if they are made or lent from now on; nil if it is that of the last one.
    private var outcome: HandleOutcome?
    /// The error as matchers see it; nil until one is asked.
    var subject: ErrorSubject?

    /// The report of a posted error.
    ///
    /// - Parameters:
    ///   - address: The address of the value that the report is made from, where the dispatch's caller keeps it.
    ///   - maker: The type of that value.
    ///   - sequence: The report's number in the order of delivery.
    @unsafe @inline(__always)
    init(keptAt address: UnsafeRawPointer, by maker: any ReportMaker.Type, sequence: UInt64 = 0) {
        unsafe self.address = UnsafeMutableRawPointer(mutating: address)
        self.maker = maker
        self.sequence = sequence
    }

    /// The report of an error that is handled directly.
    @inline(__always)
    init(from source: ErrorReport.Source) {
        unsafe (maker, address, sequence) = (nil, nil, 0)
        self.source = source
    }

    /// The report of an error that is handled with it.
    init(_ report: ErrorReport) {
        unsafe (maker, address, sequence) = (nil, nil, 0)
        self.report = report
    }

    /// No report, but the place for the value that a map's rule gives, where the caller keeps it.
    @unsafe @inline(__always)
    init(givingTo value: UnsafeMutableRawPointer) {
        unsafe (maker, address, sequence) = (nil, value, 0)
    }

    /// The place for the value of a map's rule; nil for other rules.
    private var place: UnsafeMutableRawPointer? { unsafe maker == nil ? address : nil }

    /// What a synchronous rule acts on: the place of a map's value, or else the report itself, at its address.
    @unsafe @inline(__always)
    static func target(_ report: UnsafeMutablePointer<LazyReport>) -> UnsafeMutableRawPointer {
        unsafe report.pointee.place ?? UnsafeMutableRawPointer(report)
    }

    /// Calls a closure with the error as matchers see it.
    @inline(__always)
    mutating func ask<Result>(_ error: any Error, _ body: (inout ErrorSubject) -> Result) -> Result {
        if subject == nil { subject = ErrorSubject(error) }
        return body(&subject!)
    }

    /// Sets the outcome that the report carries from now on.
    mutating func carry(_ outcome: consuming HandleOutcome) { self.outcome = outcome }

    /// Takes the report of the error, made at the first call.
    private mutating func taken(for error: any Error) -> ErrorReport {
        let outcome = outcome.take()
        if var report = report.take() {
            if let outcome { report.outcome = outcome }
            return report
        }
        if let maker, let address = unsafe address {
            return unsafe maker.report(of: error, keptAt: address, sequence: sequence, outcome: outcome)
        }
        // With the moment as the system's clock tells it: to convert an instant would cost more than all the rest.
        return ErrorReport(
            error: error, label: nil, source: source ?? .init(), moment: .init(), metadata: [:], scope: [], sequence: 0,
            occurrences: 1, outcome: outcome ?? .pending)
    }

    /// Returns the report of the error, made at the first call.
    @inline(never)
    mutating func made(for error: any Error) -> ErrorReport {
        let report = taken(for: error)
        self.report = report
        return report
    }

    /// Calls a closure with the report of the error, made at the first call; moves the report out meanwhile, since to
    /// copy it costs as much as to make it.
    mutating func lend<Result>(for error: any Error, to body: (ErrorReport) throws -> Result) rethrows -> Result {
        let report = taken(for: error)
        do {
            let result = try body(report)
            self.report = consume report
            return result
        } catch {
            self.report = consume report
            throw error
        }
    }
}
