public import ErrorRouting

/// Sends every report of an ``ErrorBusService`` somewhere else, such as to Sentry.
///
/// Pass it as one of the service's `sinks`. The service starts it, passes each report to it, and closes it after the
/// bus has delivered the last report.
///
/// A sink must not post its own failures to the bus that it observes: each of them would be one more report to send.
public protocol ErrorSink: Sendable {
    /// Starts the sending; reports that were received before are sent too. A second call has no effect.
    func start()

    /// Receives a report.
    ///
    /// The bus's worker calls it for each report, so it must return immediately and never wait.
    ///
    /// - Parameter report: The report, with its outcome.
    func receive(_ report: ErrorReport)

    /// Sends the pending reports, as far as the time allows, and stops.
    ///
    /// - Parameter limit: The time after which it returns, even if the caller's task is cancelled.
    /// - Returns: What happened to the reports, as text for the last entry in the log.
    func close(within limit: Duration) async -> String
}
