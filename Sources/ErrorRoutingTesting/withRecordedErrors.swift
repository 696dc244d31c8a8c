public import ErrorRouting

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
