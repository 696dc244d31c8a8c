public import ErrorRouting

/// Sends every report of an ``ErrorBusService`` to another destination, such as Sentry.
///
/// Pass it as one of the service's `sinks`. The service starts it, passes each report to it, and closes it after the
/// bus has delivered the last report.
///
/// A sink must not post its own failures to the bus that it observes, because each of them would be another report to
/// send.
public protocol ErrorSink: Sendable {
    /// Starts sending, including the reports that were received earlier; a second call has no effect.
    func start()

    /// Receives a report.
    ///
    /// The bus's worker calls it for each report, so it must return immediately and never wait.
    ///
    /// - Parameter report: The report, with its outcome.
    func receive(_ report: ErrorReport)

    /// Sends pending reports until the time runs out, and stops.
    ///
    /// - Parameter limit: The time after which it returns, even if the caller's task is cancelled.
    /// - Returns: What happened to the reports, as a string for the last log entry.
    func close(within limit: Duration) async -> String
}
