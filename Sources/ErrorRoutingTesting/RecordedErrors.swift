public import ErrorRouting
public import Testing

/// The errors that a body posted, for a test to inspect.
public struct RecordedErrors: Sendable, CustomStringConvertible {
    /// The reports in the order of delivery, each with its outcome.
    public let reports: [ErrorReport]
    /// The bus's counts at the end.
    public let statistics: ErrorBus.Statistics

    /// The errors in the order of delivery.
    public var errors: [any Error] { reports.map(\.error) }

    /// Returns a matcher's outputs for the recorded errors that it matches.
    ///
    /// - Parameter matcher: The errors to look for.
    /// - Returns: The outputs in the order of delivery.
    public func matches<Output>(of matcher: ErrorMatcher<Output>) -> [Output] {
        errors.compactMap { matcher.match($0) }
    }

    /// Fails the test at the caller's line unless an error that a matcher matches was reported.
    ///
    /// - Parameters:
    ///   - matcher: The errors to expect.
    ///   - count: How many of them to expect; nil for at least one.
    ///   - sourceLocation: Where the test fails.
    /// - Returns: The matcher's output for the first such error; nil if there wasn't any.
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

    /// Fails the test at the caller's line if an error that a matcher matches was reported.
    ///
    /// - Parameters:
    ///   - matcher: The errors that must not have been reported; every error by default.
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

/// Runs a body with an error bus, and records every error that is posted during the run.
///
/// ```swift
/// let recorded = await withRecordedErrors { bus in
///     await Intake(errors: bus).run()
/// }
/// recorded.expectReported(.type(DecodingError.self))
/// ```
///
/// As with `withErrorBus`, the bus is `ErrorBus.current` in the body, so errors posted to `.ambient` are recorded too.
/// Before the function returns, tasks started with `task` end and every posted error is delivered.
///
/// - Parameters:
///   - handler: The rules to run; empty by default. Recording doesn't add any.
///   - configuration: The bus's capacity, its time limit for actions, and its clock.
///   - body: Receives the bus. It runs in the caller's isolation.
/// - Returns: The recorded reports in the order of delivery, with their outcomes.
/// - Throws: The body's error.
@discardableResult
public func withRecordedErrors<F: Error>(
    handler: ErrorHandler = ErrorHandler(),
    configuration: ErrorBus.Configuration = .init(),
    _ body: (ErrorBus) async throws(F) -> Void
) async throws(F) -> RecordedErrors {
    let (reports, bus) = try await withErrorBus(handler: handler, configuration: configuration) {
        (bus: ErrorBus) async throws(F) in
        // Open the stream before the body runs, and without a bound, so that no report is lost.
        let reports = bus.reports(bufferingNewest: .max)
        try await body(bus)
        return (reports, bus)
    }
    var recorded: [ErrorReport] = []
    for await report in reports { recorded.append(report) }
    return RecordedErrors(reports: recorded, statistics: bus.statistics)
}
