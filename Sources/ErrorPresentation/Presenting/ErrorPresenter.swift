public import ErrorRouting
public import Observation

/// What the person at the screen sees of errors: one at a time, in order, repeats folded into one.
///
/// Any screen can bind it, and none needs to know where its errors come from:
///
/// ```swift
/// let presenter = ErrorPresenter(rules: .default.on(Offline.self, .banner))
/// let observation = presenter.present(bus)  // goes on for as long as it is held
/// …
/// let order = await presenter.run("Placing the order") { try await client.place(cart) }
/// ```
///
/// Whether and how an error is shown is decided by the matchers that decide everything else. Errors that a bus ignored,
/// and cancellations, are never shown.
@MainActor
@Observable
public final class ErrorPresenter {
    /// The error to show; nil if there is none.
    public internal(set) var current: PresentedError?
    /// How many errors wait behind it.
    public internal(set) var waiting = 0
    /// How many errors found no room, or lost their place to one that a person had asked for.
    public internal(set) var discarded = 0
    /// Whether an operation is being run again.
    public internal(set) var isRetrying = false

    /// How many errors came, and what became of them, up to this moment.
    ///
    /// Those that a bus has handed over and the main actor has not looked at yet count as waiting.
    public var statistics: Statistics {
        // Whoever observes it hears of what the main actor has looked at.
        _ = settled
        return machine.statistics + inbox.counts
    }

    var settled = Statistics()
    @ObservationIgnored var machine: PresenterMachine
    /// What to run again, for the errors that wait and the one that is shown.
    @ObservationIgnored var retries: [PresentedError.ID: @MainActor () async -> Void] = [:]
    /// Whether an error is being looked at: its texts and matchers may lead back here.
    @ObservationIgnored var isPlacing = false
    /// How often buses have woken the main actor; for tests.
    @ObservationIgnored var wakeUps = 0
    @ObservationIgnored let inbox: PresenterInbox
    @ObservationIgnored let rules: ErrorMap<PresentationStyle>
    @ObservationIgnored let texts: ErrorMap<PresentedText?>
    @ObservationIgnored let mark: PresenterMark

    /// Makes a presenter that shows nothing.
    ///
    /// - Parameters:
    ///   - rules: How errors are shown.
    ///   - texts: What is said instead of the errors' own texts.
    ///   - limit: How many errors may wait behind the one that is shown; when as many do, further ones are counted as
    ///     discarded, since the first errors of a storm carry its cause. But what a person asked for, which is all that
    ///     no bus has handed over, takes the place of the newest that waits and that nobody asked for: that one is
    ///     discarded. Not negative. The failure of a retry may wait besides. As many reports again, and at least 1,024,
    ///     repeats included, may wait for the main actor to look at them, with what the text of another error presents.
    public init(
        rules: ErrorMap<PresentationStyle> = .default,
        texts: ErrorMap<PresentedText?> = ErrorMap(default: nil),
        limit: Int = 64
    ) {
        precondition(limit >= 0, "the limit of a presenter must not be negative, but is \(limit)")
        self.rules = rules
        self.texts = texts
        machine = PresenterMachine(limit: limit)
        mark = PresenterMark()
        inbox = PresenterInbox(capacity: max(limit, 1024), mark: mark)
    }

    deinit { inbox.close() }

    /// Shows what a bus delivers from now on.
    ///
    /// The bus hands each report over, and never waits for the main actor, which is woken once for all that has come.
    /// A report that the main actor is too far behind for is counted as discarded, unless it would not have been shown
    /// because it is ignored, a cancellation, or comes back from ``run(_:errors:fileID:line:_:)``.
    ///
    /// - Parameter bus: The bus. Where it is presented none of its scopes need be: their reports are the bus's too, and
    ///   would come twice.
    /// - Returns: The observation, which ends when it is let go. It does not keep the presenter.
    public func present(_ bus: ErrorBus) -> ErrorObservation { bus.observe(receiver) }

    /// Shows what a scope, and the scopes below it, deliver from now on; see ``present(_:)-(ErrorBus)``.
    ///
    /// - Parameter scope: The scope.
    /// - Returns: The observation, which ends when it is let go. It does not keep the presenter.
    public func present(_ scope: ErrorScope) -> ErrorObservation { scope.observe(receiver) }

    /// Shows an error that somebody has caught, and posts it nowhere.
    ///
    /// It is taken for what became of something that a person asked for: where there is no room, it takes that of one
    /// that a bus has handed over.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - retry: What to run again if the person asks for it. If it fails it presents its failure, by this or by
    ///     ``run(_:errors:fileID:line:_:)``; that is shown next, before the errors that wait. It was cancelled if it
    ///     presents a cancellation in this way, or if its task is cancelled by the time that it returns: it does
    ///     not say whether it has succeeded, and an error too many can be dismissed.
    public func present(_ error: any Error, retry: (@MainActor () async -> Void)? = nil) {
        let error = Self.unboxed(error)
        if Cancellation.says(error) { return passCancellation() }
        var arrival = Arrival(error: error, count: 1, isAskedFor: true, retried: retried)
        if let retry {
            arrival.retry = { [weak self] in
                await retry()
                if Task.isCancelled { self?.noteCancelledRetry() }
            }
        }
        present(arrival)
    }

    /// The error with this number has been seen: if it is the one that is shown, the next one is.
    ///
    /// Where another one is shown by then, nothing happens: the person has not seen that.
    /// If its operation is being run again, that goes on; should it fail, its failure waits for its turn as any other.
    ///
    /// - Parameter id: The number of the error that the person saw.
    public func dismiss(_ id: PresentedError.ID) { dismissCurrent(id) }

    /// Whichever error is shown has been seen: the next one is shown; see ``dismiss(_:)``.
    ///
    /// For what means no error in particular, such as emptying the queue. What a person presses means the error that
    /// they saw, and another one may have come up since: it calls ``dismiss(_:)``.
    public func dismiss() { dismissCurrent(nil) }

    /// Runs the operation of the error with this number once more, if it is the one that is shown, and returns when
    /// that has ended; its error is shown until then.
    ///
    /// Then the error goes. If the operation was cancelled it stays as it was, and can be retried: what went wrong
    /// still is. Should the operation fail again, its failure is shown next, as an error of its own, with a number of
    /// its own. So however often a button is tapped, and however late a tap's task begins, it is run once, and no error
    /// is reached that the person has not seen.
    /// While an operation is being run again nothing else is, whatever error is shown by then. Where the error is not
    /// shown any more, or has no operation, nothing happens.
    ///
    /// - Parameter id: The number of the error that the person saw.
    public func retry(_ id: PresentedError.ID) async { await runAgain(id) }

    /// Runs the operation of whichever error is shown once more; see ``retry(_:)``.
    ///
    /// A tap while it runs does nothing. But each tap is a task of its own, and one that begins only when the operation
    /// has ended already reaches the error that has come up since. So what a person taps calls ``retry(_:)``; this is
    /// for code that looks at nothing but what is shown.
    public func retry() async { await runAgain(nil) }
}
