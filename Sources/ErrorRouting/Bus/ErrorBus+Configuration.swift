extension ErrorBus {
    /// The settings of a bus: limits, clock, metadata provider, details, and last resort.
    public struct Configuration: Sendable {
        /// The number of reports that can be pending, not counting the report in delivery.
        ///
        /// The minimum is 1; values above 4,194,304 are clamped to 4,194,304. Each pending report takes 64 bytes of the
        /// queue. The system provides that memory when it is first needed, and the bus keeps it for later reports.
        ///
        /// When that many reports are pending, the bus drops newly posted errors, because the first errors of a flood
        /// show its cause. The bus counts the dropped errors and posts an ``ErrorsDropped``.
        public var capacity: Int

        /// How long an asynchronous action can run before the bus abandons it; nil for no limit.
        ///
        /// The limit must not be negative. The bus cancels the task of an abandoned action and discards its later
        /// result. An ``ActionFailure`` with an ``ActionTimeLimitExceeded`` replaces the result, the rules after the
        /// action run, and the bus continues. The bus can't stop a synchronous action that blocks its thread;
        /// ``Statistics/deliveryTime`` shows it.
        public var actionTimeLimit: Duration?

        /// The limit on errors of the same kind; nil for no limit.
        ///
        /// The bus delivers the first few of them and merges the others; see ``FloodLimit``.
        public var floodLimit: FloodLimit?

        /// The clock for these limits, for `shutdown`, and for `flush`; use a test clock in tests.
        ///
        /// The clock must not run backward.
        public var clock: any Clock<Duration>

        /// Returns metadata for an error, in the task that posts it; nil for no provider.
        ///
        /// With a provider, task-local values such as the identifier of a request or trace become part of the report.
        /// The provider can also record the error in the task's own records, for example in a span. If a key occurs
        /// more than once, the caller's value takes precedence, then the provider's, then the scope's. The bus calls
        /// the provider for each error, including dropped errors, so the provider should be quick. The bus doesn't call
        /// it for an error that the provider itself posts.
        public var metadataProvider: (@Sendable (any Error) -> [String: String])?

        /// How long `withErrorBus` waits for delivery after its body and tasks have ended; nil for no limit.
        ///
        /// The limit must not be negative. Reports that aren't delivered within it count as dropped and go to the last
        /// resort. See ``withErrorBus(handler:configuration:asRoot:isolation:_:)``.
        public var drainTimeLimit: Duration?

        /// The details of other packages' errors, such as their kinds and messages; none by default.
        ///
        /// They take precedence over an error's own ``ErrorDetails``. The map's closures can run on any thread,
        /// whenever a string of a report is read.
        public var details: ErrorMap<ErrorDetails?>

        /// Where the bus writes errors that it can't deliver to a handler; nil for the process's ``LastResort``.
        public var lastResort: LastResort?

        /// A hook that is called for every post and can mark it, for libraries that test errors; nil by default.
        ///
        /// See `PostWitness`.
        package var witness: (any PostWitness)?

        /// Creates a configuration, with defaults that suit a service.
        ///
        /// Each parameter sets the property of the same name. Nil means no limit, no provider, or the process's last
        /// resort.
        ///
        /// - Parameters:
        ///   - capacity: The number of reports that can be pending.
        ///   - actionTimeLimit: How long an asynchronous action can run.
        ///   - floodLimit: The limit on errors of the same kind.
        ///   - clock: The clock for the limits, `shutdown`, and `flush`.
        ///   - metadataProvider: Returns metadata for an error.
        ///   - drainTimeLimit: How long `withErrorBus` waits for delivery at the end.
        ///   - details: The details of other packages' errors.
        ///   - lastResort: Where the bus writes errors that it can't deliver.
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

        /// Crashes with a message that names the value if a value is out of range.
        func validate() {
            // Use `fatalError`: a `precondition` doesn't print a message in release builds.
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

/// A hook that is called for each post, in the posting task, and for the reports that a shutdown returns.
///
/// It is for libraries that test errors, because an observer receives neither. Metadata can't replace a mark: any
/// caller can set metadata, an action's failure inherits it, and a flood limit keeps only the newest error's metadata.
/// Set the witness in `ErrorBus.Configuration.witness`.
package protocol PostWitness: Sendable {
    /// Marks an error in the task that posts it; it is called for each post, including dropped errors.
    ///
    /// A flood limit separates errors with different marks, and the last resort doesn't receive errors with a mark. The
    /// bus also calls this method for errors that the method itself posts, so the method must bound that recursion.
    ///
    /// - Parameters:
    ///   - error: The posted error.
    ///   - role: The role of the report.
    /// - Returns: The mark, which becomes the report's `ErrorReport.mark`; nil for no mark.
    func mark(_ error: any Error, as role: ErrorReport.Role) -> (any AnyObject & Sendable)?

    /// Receives the reports that a shutdown returns, before the caller of the shutdown does.
    func tookBack(_ reports: [ErrorReport])
}
