extension ErrorBus {
    /// How much a bus holds, how long an action may take, and by which clock.
    public struct Configuration: Sendable {
        /// How many reports may be pending, the one in delivery not counted.
        ///
        /// At least 1; more than 67,108,864 counts as that many.
        ///
        /// When it is reached the newest error is dropped, since the first errors of a storm carry its cause; it is
        /// counted, and an ``ErrorsDropped`` follows.
        public var capacity: Int

        /// How long an asynchronous action may run before it is abandoned; nil for no limit.
        ///
        /// Not negative.
        ///
        /// An abandoned action's task is cancelled and its later result discarded; an ``ActionFailure`` with an
        /// ``ActionTimeLimitExceeded`` takes its place, the rules after it run, and the bus goes on. A synchronous
        /// action that blocks its thread cannot be cut off; ``Statistics/deliveryTime`` shows it.
        public var actionTimeLimit: Duration?

        /// How many errors of one kind are delivered in a while, before the rest is summed up; nil for all of them.
        ///
        /// See ``FloodLimit``.
        public var floodLimit: FloodLimit?

        /// The clock for the limits above and for `shutdown`.
        ///
        /// A test clock in tests.
        public var clock: any Clock<Duration>

        /// Asked for metadata whenever an error is posted, with the error, in the poster's task; nil for none.
        ///
        /// So what a task-local value holds, a request's or a trace's identifier say, reaches the report, and what a
        /// task is about, a span say, can note the error. It goes over a scope's metadata, and what the poster gives
        /// along goes over it. It is asked for each error, dropped ones included, and should be quick; an error that it
        /// posts itself gets nothing from it.
        public var metadataProvider: (@Sendable (any Error) -> [String: String])?

        /// How long ``withErrorBus(handler:configuration:asRoot:isolation:_:)`` waits for delivery once its body and
        /// tasks have ended; nil for as long as it takes.
        ///
        /// Not negative. What is not delivered by then counts as dropped, and goes to the last resort.
        public var drainTimeLimit: Duration?

        /// Where the bus writes what nobody is left to handle; nil for the process's.
        ///
        /// See ``LastResort``.
        public var lastResort: LastResort?

        /// Makes a configuration; each default suits a service.
        ///
        /// - Parameters:
        ///   - capacity: How many reports may be pending.
        ///   - actionTimeLimit: How long an asynchronous action may run; nil for no limit.
        ///   - floodLimit: How many errors of one kind are delivered in a while; nil for all of them.
        ///   - clock: The clock for limits.
        ///   - metadataProvider: Asked for metadata whenever an error is posted, with the error; nil for none.
        ///   - drainTimeLimit: How long `withErrorBus` waits for delivery at its end; nil for as long as it takes.
        ///   - lastResort: Where the bus writes what nobody is left to handle; nil for the process's.
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

        /// Stops the program where a value makes no sense, and says which.
        func validate() {
            // `fatalError` in place of `precondition`: its message is also printed in release builds.
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
