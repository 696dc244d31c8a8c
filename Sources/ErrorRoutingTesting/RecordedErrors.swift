public import ErrorRouting
public import Testing

/// The errors that a body posted, for a test to look at.
public struct RecordedErrors: Sendable, CustomStringConvertible {
    /// The reports in the order of their delivery, each with its outcome.
    public let reports: [ErrorReport]
    /// The bus's counts at the end.
    public let statistics: ErrorBus.Statistics

    /// Makes a recording by hand, from reports that a test has collected itself.
    ///
    /// - Parameters:
    ///   - reports: The reports, in order.
    ///   - statistics: The bus's counts.
    public init(reports: [ErrorReport], statistics: ErrorBus.Statistics = .init()) {
        self.reports = reports
        self.statistics = statistics
    }

    /// The errors, in the order of their delivery.
    public var errors: [any Error] { reports.map(\.error) }

    /// What a matcher hands on, for each recorded error that it matches.
    ///
    /// - Parameter matcher: The errors to look for.
    /// - Returns: The matches, in the order of delivery.
    public func matches<Output>(of matcher: ErrorMatcher<Output>) -> [Output] {
        errors.compactMap { matcher.match($0) }
    }

    /// Fails the test, at the caller's line, unless an error that the matcher matches was reported.
    ///
    /// - Parameters:
    ///   - matcher: The error to expect.
    ///   - count: How many of them to expect; nil for one or more.
    ///   - sourceLocation: Where the test fails.
    /// - Returns: What the matcher made of the first of them; nil if there was none.
    @discardableResult
    public func expectReported<Output>(
        _ matcher: ErrorMatcher<Output>,
        count: Int? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Output? {
        let matches = matches(of: matcher)
        let isExpected = count.map { matches.count == $0 } ?? !matches.isEmpty
        if !isExpected {
            let expected = count.map { "\($0)" } ?? "at least 1"
            Issue.record(
                "expected \(expected) of \(matcher), found \(matches.count) in:\n\(self)",
                sourceLocation: sourceLocation
            )
        }
        return matches.first
    }

    /// Fails the test, at the caller's line, if any error that the matcher matches was reported.
    ///
    /// - Parameters:
    ///   - matcher: What must not have been reported; every error by default.
    ///   - sourceLocation: Where the test fails.
    public func expectNoneReported(
        _ matcher: ErrorMatcher<some Sendable> = ErrorMatcher<any Error>.any,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expectReported(matcher, count: 0, sourceLocation: sourceLocation)
    }

    /// The reports, one line each.
    public var description: String {
        reports.isEmpty ? "no reports" : reports.map { "\($0.sequence). \($0)" }.joined(separator: "\n")
    }
}

/// Runs a body with an error bus, and records every error that is posted while it runs.
///
/// ```swift
/// let recorded = await withRecordedErrors { bus in
///     await Intake(errors: bus).run()
/// }
/// recorded.expectReported(.type(DecodingError.self))
/// ```
///
/// The bus is `ErrorBus.current` for the body, as in `withErrorBus`, so code that posts to `.ambient` is
/// recorded too. Tasks started with `task` are awaited, and everything posted is delivered before this returns.
///
/// - Parameters:
///   - handler: The rules to run; none by default. Recording adds none.
///   - configuration: How much the bus holds, how long an action may take, and its clock.
///   - body: What to run. It keeps the caller's isolation.
/// - Returns: The recorded reports, in the order of their delivery, with their outcomes.
/// - Throws: What the body threw.
@discardableResult
public func withRecordedErrors<F: Error>(
    handler: ErrorHandler = ErrorHandler(),
    configuration: ErrorBus.Configuration = .init(),
    _ body: (ErrorBus) async throws(F) -> Void
) async throws(F) -> RecordedErrors {
    let (reports, bus) = try await withErrorBus(handler: handler, configuration: configuration) {
        (bus: ErrorBus) async throws(F) in
        // Opened before the body runs, and bounded by nothing, so that nothing is missed.
        let reports = bus.reports(bufferingNewest: .max)
        try await body(bus)
        return (reports, bus)
    }
    var recorded: [ErrorReport] = []
    for await report in reports { recorded.append(report) }
    return RecordedErrors(reports: recorded, statistics: bus.statistics)
}
