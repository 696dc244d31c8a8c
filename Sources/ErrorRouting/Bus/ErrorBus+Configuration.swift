extension ErrorBus {
    /// The limits of a bus, its clock, its metadata provider and its last resort.
    public struct Configuration: Sendable {
        /// The number of reports that may be pending, the one in delivery not counted.
        ///
        /// At least 1; more than 4,194,304 counts as that many. A report takes 64 bytes here while it is pending; that
        /// memory is provided as it is first needed, and kept for later reports.
        ///
        /// When that many are pending, a newly posted error is dropped, because the first errors of a storm carry its
        /// cause. The drop is counted, and an ``ErrorsDropped`` follows.
        public var capacity: Int

        /// The time that an asynchronous action may run before it is abandoned; nil for no limit.
        ///
        /// Not negative.
        ///
        /// An abandoned action's task is cancelled and its later result discarded; an ``ActionFailure`` with an
        /// ``ActionTimeLimitExceeded`` takes its place, the rules after it run, and the bus goes on. A synchronous
        /// action that blocks its thread cannot be stopped; ``Statistics/deliveryTime`` shows it.
        public var actionTimeLimit: Duration?

        /// The limit on errors of one kind: the first few are delivered, the others summed up; nil for no limit.
        ///
        /// See ``FloodLimit``.
        public var floodLimit: FloodLimit?

        /// The clock for the limits of this configuration, and for `shutdown` and `flush`; in tests, a test clock.
        public var clock: any Clock<Duration>

        /// Returns metadata for an error that is being posted, in the poster's task; nil for none.
        ///
        /// So task-local values, such as the identifier of a request or of a trace, can become part of the report, and
        /// the error can be recorded where the task keeps such records, for example in a span. Its values replace those
        /// of a scope for the same key, and the poster's values replace its own. It is called for each error, dropped
        /// ones included, and should be quick; it is not called for an error that it posts itself.
        public var metadataProvider: (@Sendable (any Error) -> [String: String])?

        /// The time that ``withErrorBus(handler:configuration:asRoot:isolation:_:)`` waits for delivery once its body
        /// and tasks have ended; nil for no limit.
        ///
        /// Not negative. Reports that are not delivered by then count as dropped, and go to the last resort.
        public var drainTimeLimit: Duration?

        /// Where the bus writes errors that no handler is left for; nil for the process's last resort.
        ///
        /// See ``LastResort``.
        public var lastResort: LastResort?

        /// Sees and marks the posts; for libraries that test errors.
        ///
        /// Nil by default. See ``PostWitness``.
        public var witness: (any PostWitness)?

        /// Creates a configuration; each default suits a service.
        ///
        /// - Parameters:
        ///   - capacity: The number of reports that may be pending.
        ///   - actionTimeLimit: The time that an asynchronous action may run; nil for no limit.
        ///   - floodLimit: The limit on errors of one kind; nil for no limit.
        ///   - clock: The clock for these limits, `shutdown` and `flush`.
        ///   - metadataProvider: Returns metadata for an error that is being posted; nil for none.
        ///   - drainTimeLimit: The time that `withErrorBus` waits for delivery at its end; nil for no limit.
        ///   - lastResort: Where the bus writes errors that no handler is left for; nil for the process's last resort.
        public init(
            capacity: Int = 8192,
            actionTimeLimit: Duration? = .seconds(30),
            floodLimit: FloodLimit? = nil,
            clock: any Clock<Duration> = ContinuousClock(),
            metadataProvider: (@Sendable (any Error) -> [String: String])? = nil,
            drainTimeLimit: Duration? = nil,
            lastResort: LastResort? = nil
        ) {
            self.capacity = capacity
            self.actionTimeLimit = actionTimeLimit
            self.floodLimit = floodLimit
            self.clock = clock
            self.metadataProvider = metadataProvider
            self.drainTimeLimit = drainTimeLimit
            self.lastResort = lastResort
        }

        /// Stops the program if a value is out of range, with a message that names the value.
        func validate() {
            // `fatalError`, since a `precondition` prints no message in release builds.
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
