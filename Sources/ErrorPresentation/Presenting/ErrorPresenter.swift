public import ErrorRouting
public import Observation

/// Presents errors to a person: one at a time, in order, with repeats folded into one.
///
/// Any view can bind a presenter, and need not know where the errors come from:
///
/// ```swift
/// let presenter = ErrorPresenter(rules: .default.on(Offline.self, .banner))
/// let observation = presenter.present(bus)  // continues while it is retained
/// …
/// let order = await presenter.run("Placing the order") { try await client.place(cart) }
/// ```
///
/// Rules with the same matchers as everywhere else decide whether and how an error is shown. Errors that a bus ignored,
/// and cancellations, are never shown.
@MainActor
@Observable
public final class ErrorPresenter {
    /// The error to show; nil if there is none.
    public internal(set) var current: PresentedError?
    /// How many errors wait behind the one that is shown.
    public internal(set) var waiting = 0
    /// How many errors were discarded: the queue was full, or an error of the person's own action took their place.
    public internal(set) var discarded = 0
    /// Whether an operation is being run again.
    public internal(set) var isRetrying = false

    /// The counts of received errors, and of what happened to them, at this moment.
    ///
    /// Errors that a bus has delivered and that the main actor has not processed yet count as waiting.
    public var statistics: Statistics {
        // Registers the access for observation: `settled` changes when the main actor has processed errors.
        _ = settled
        return machine.statistics + inbox.counts
    }

    var settled = Statistics()
    @ObservationIgnored var machine: PresenterMachine
    /// The operations to run again, for the errors that wait and the one that is shown.
    @ObservationIgnored var retries: [PresentedError.ID: @MainActor () async -> Void] = [:]
    /// Whether an error is being placed: its texts and matchers are user code, which may call this presenter.
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
    ///   - texts: The texts to show instead of the errors' own texts.
    ///   - limit: How many errors may wait behind the one that is shown; not negative. When the queue is full, a
    ///     further error is discarded, since the first errors of a storm show its cause. But an error that did not come
    ///     from a bus belongs to the person's own action: it takes the place of the newest waiting error from a bus,
    ///     and that one is discarded. The failure of a retry may wait beyond the limit. A separate inbox holds reports,
    ///     repeats included, that the main actor has not processed yet: as many as `limit`, and at least 1,024.
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

    /// Presents the errors that a bus delivers from now on.
    ///
    /// The bus never waits for the main actor, which is woken once for a batch of reports. A report that does not fit
    /// into the inbox is counted as discarded, unless it is never shown: an ignored error, a cancellation, or a failure
    /// that ``run(_:errors:fileID:line:_:)`` has shown.
    ///
    /// - Parameter bus: The bus. Do not present its scopes too: the bus delivers their reports, which would come twice.
    /// - Returns: The observation, which ends when it is released. It does not retain the presenter.
    public func present(_ bus: ErrorBus) -> ErrorObservation { bus.observe(receiver) }

    /// Presents the errors that a scope and the scopes below it deliver from now on; see ``present(_:)-(ErrorBus)``.
    ///
    /// - Parameter scope: The scope.
    /// - Returns: The observation, which ends when it is released. It does not retain the presenter.
    public func present(_ scope: ErrorScope) -> ErrorObservation { scope.observe(receiver) }

    /// Presents an error that the caller has caught, without posting it.
    ///
    /// The error counts as the result of the person's own action: in a full queue, it takes the place of an error that
    /// came from a bus.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - retry: The operation to run again if the person wants to. If it fails, it must present its failure with this
    ///     function or with ``run(_:errors:fileID:line:_:)``; that failure is shown next, before the waiting errors. It
    ///     counts as cancelled, and `error` stays, if it presents a cancellation or if its task is cancelled when it
    ///     returns.
    public func present(_ error: any Error, retry: (@MainActor () async -> Void)? = nil) {
        let error = Self.unboxed(error)
        if Cancellation.matches(error) { return passCancellation() }
        var arrival = Arrival(error: error, count: 1, isAskedFor: true, retried: retried)
        if let retry {
            arrival.retry = { [weak self] in
                await retry()
                if Task.isCancelled { self?.noteCancelledRetry() }
            }
        }
        present(arrival)
    }

    /// Dismisses the error with this number, and shows the next one.
    ///
    /// If another error is shown meanwhile, nothing happens: the person has not seen that one. If the error's operation
    /// is being run again, it goes on; its failure then waits for its turn like any other.
    ///
    /// - Parameter id: The number of the error that the person saw.
    public func dismiss(_ id: PresentedError.ID) { dismissCurrent(id) }

    /// Dismisses whichever error is shown, and shows the next one; see ``dismiss(_:)``.
    ///
    /// Use it where no particular error is meant, for example to empty the queue. A button should call ``dismiss(_:)``:
    /// the person means the error that they saw, and another one may be shown meanwhile.
    public func dismiss() { dismissCurrent(nil) }

    /// Runs the operation of the error with this number again, and returns when the operation has ended.
    ///
    /// The error is shown until then, and then disappears. If the operation was cancelled, the error stays and can be
    /// retried. If the operation fails again, its failure is shown next, as a new error with its own number. So the
    /// operation is run once, however often a button is tapped and however late a tap's task begins, and a tap never
    /// retries an error that the person has not seen.
    ///
    /// Nothing happens if the error is not shown any more or has no operation, or while any operation is being run
    /// again.
    ///
    /// - Parameter id: The number of the error that the person saw.
    public func retry(_ id: PresentedError.ID) async { await runAgain(id) }

    /// Runs the operation of whichever error is shown again; see ``retry(_:)``.
    ///
    /// A call while an operation is being run again does nothing. A call after that retries the error that is shown by
    /// then. So a button, whose taps run in tasks of their own, should call ``retry(_:)``; this function is for code
    /// that means whichever error is shown.
    public func retry() async { await runAgain(nil) }
}
