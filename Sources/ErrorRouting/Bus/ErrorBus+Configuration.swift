extension ErrorBus {
    /// The limits of a bus, its clock, its metadata provider, and its last resort.
    public struct Configuration: Sendable {
        /// The number of reports that can be pending, without the one in delivery.
        ///
        /// The minimum is 1; a larger number than 4,194,304 counts as 4,194,304. A pending report takes 64 bytes here.
        /// The system provides that memory when it is first needed, and the bus keeps it for later reports.
        ///
        /// When that many reports are pending, the bus drops a newly posted error, because the first errors of a flood
        /// show its cause. The bus counts the drop and posts an ``ErrorsDropped``.
        public var capacity: Int

        /// The time that an asynchronous action may run before the bus abandons it; nil for no limit.
        ///
        /// Not negative.
        ///
        /// The bus cancels the task of an abandoned action and discards its later result. An ``ActionFailure`` with an
        /// ``ActionTimeLimitExceeded`` replaces the result, the rules after the action run, and the bus continues. A
        /// synchronous action that blocks its thread can't be stopped; ``Statistics/deliveryTime`` shows it.
        public var actionTimeLimit: Duration?

        /// The limit on errors of one kind: the bus delivers the first few and merges the others; nil for no limit.
        ///
        /// See ``FloodLimit``.
        public var floodLimit: FloodLimit?

        /// The clock for these limits, for `shutdown`, and for `flush`; use a test clock in tests.
        ///
        /// It must not run backward.
        public var clock: any Clock<Duration>

        /// Returns metadata for an error, in the task that posts it; nil for none.
        ///
        /// With it, task-local values such as the identifier of a request or trace become part of the report. It can
        /// also record the error in the task's own records, for example in a span. For the same key, its values replace
        /// those of a scope, and the caller's values replace its own. The bus calls it for each error, dropped ones
        /// included, so it should be quick. The bus doesn't call it for an error that the provider itself posts.
        public var metadataProvider: (@Sendable (any Error) -> [String: String])?

        /// The time that ``withErrorBus(handler:configuration:asRoot:isolation:_:)`` waits for delivery after its body
        /// and tasks have ended; nil for no limit.
        ///
        /// Not negative. Reports that aren't delivered by then count as dropped and go to the last resort.
        public var drainTimeLimit: Duration?

        /// The kinds and messages of other packages' errors; none by default.
        ///
        /// They take precedence over an error's own ``ErrorDetails``. The closures can run on any thread, whenever a
        /// text of a report is read.
        public var details: ErrorMap<ErrorDetails?>

        /// Where the bus writes errors that no handler is left for; nil for the process's last resort.
        ///
        /// See ``LastResort``.
        public var lastResort: LastResort?

        /// The witness that sees and marks posts; for libraries that test errors.
        ///
        /// Nil by default. See `PostWitness`.
        package var witness: (any PostWitness)?

        /// Creates a configuration; each default suits a service.
        ///
        /// - Parameters:
        ///   - capacity: The number of reports that can be pending.
        ///   - actionTimeLimit: The time that an asynchronous action may run; nil for no limit.
        ///   - floodLimit: The limit on errors of one kind; nil for no limit.
        ///   - clock: The clock for these limits, `shutdown`, and `flush`.
        ///   - metadataProvider: Returns metadata for an error, in the task that posts it; nil for none.
        ///   - drainTimeLimit: The time that `withErrorBus` waits for delivery when it ends; nil for no limit.
        ///   - details: The kinds and messages of other packages' errors.
        ///   - lastResort: Where the bus writes errors that no handler is left for; nil for the process's last resort.
        public init(
            capacity: Int = 8192,
            actionTimeLimit: Duration? = .seconds(30),
            floodLimit: FloodLimit? = nil,
            clock: any Clock<Duration> = ContinuousClock(),
            metadataProvider: (@Sendable (any Error) -> [String: String])? = nil,
            drainTimeLimit: Duration? = nil,
            details: ErrorMap<ErrorDetails?> = .init(),
            lastResort: LastResort? = nil
        ) {
            self.capacity = capacity
            self.actionTimeLimit = actionTimeLimit
            self.floodLimit = floodLimit
            self.clock = clock
            self.metadataProvider = metadataProvider
            self.drainTimeLimit = drainTimeLimit
            self.details = details
            self.lastResort = lastResort
        }

        /// Stops the program if a value is out of range, with a message that names the value.
        func validate() {
            // Use `fatalError`: a `precondition` prints no message in release builds.
            if capacity < 1 {
                fatalError("ErrorBus.Configuration.capacity must be at least 1, not \(capacity)")
            }
            if let actionTimeLimit, actionTimeLimit < .zero {
                fatalError("ErrorBus.Configuration.actionTimeLimit must not be negative, but is \(actionTimeLimit)")
            }
            if let drainTimeLimit, drainTimeLimit < .zero {
                fatalError("ErrorBus.Configuration.drainTimeLimit must not be negative, but is \(drainTimeLimit)")
            }
        }
    }
}

/// A receiver of each post in the posting task and of the reports that a shutdown returns; for libraries that test
/// errors.
///
/// An observer receives neither. Metadata can't replace a mark: any caller can set it, an action's failure inherits it,
/// and a flood limit keeps only the newest error's metadata. Set the witness in `ErrorBus.Configuration.witness`.
package protocol PostWitness: Sendable {
    /// Marks an error in the task that posts it; called for each post, dropped ones included.
    ///
    /// A flood limit separates errors with different marks, and the last resort receives no error with a mark. The bus
    /// also calls this method for errors that the method itself posts, so it must not recurse without end.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - role: The role of the report.
    /// - Returns: The mark, which is the report's `ErrorReport.mark`; nil for none.
    func mark(_ error: any Error, as role: ErrorReport.Role) -> (any AnyObject & Sendable)?

    /// Receives the reports that a shutdown returns, before its caller receives them.
    func tookBack(_ reports: [ErrorReport])
}
