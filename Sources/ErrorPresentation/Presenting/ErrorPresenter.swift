public import ErrorRouting
public import Observation

/// Presents errors to a person: in each style one at a time, in order, with repeats folded into one.
///
/// Any view can bind a presenter, and need not know where the errors come from:
///
/// ```swift
/// let presenter = ErrorPresenter(rules: .default.on(Offline.self, .banner))
/// let observation = presenter.observe(bus)  // continues while it is retained
/// …
/// let order = await presenter.run(failureTitle: "The order could not be placed") { try await client.place(cart) }
/// ```
///
/// Rules with the same matchers as everywhere else decide whether and how an error is shown. Each style has a queue of
/// its own, so that an error beside a text field does not hold back an alert. Of what a bus delivers, only failures are
/// shown; errors that it ignored, notices, and failures that their own view shows are not. A cancellation that
/// `catching` posts is a notice.
@MainActor
@Observable
public final class ErrorPresenter {
    /// The error to show as an alert; nil if there is none.
    ///
    /// Set to nil, for example by a binding, it dismisses the error, and shows the next one; no other value can be set.
    /// If you retain the error, you can still ``retry(_:)`` it.
    public var alert: PresentedError? {
        get { shownAlert }
        set { if newValue == nil { remove(shownAlert, keepsRecovery: true) } }
    }

    /// The error to show as a banner; nil if there is none; see ``alert``.
    public var banner: PresentedError? {
        get { shownBanner }
        set { if newValue == nil { remove(shownBanner, keepsRecovery: true) } }
    }

    /// The error to show beside the element that it concerns; nil if there is none; see ``alert``.
    public var inline: PresentedError? {
        get { shownInline }
        set { if newValue == nil { remove(shownInline, keepsRecovery: true) } }
    }

    /// Whether an operation is being run again, or an option carried out.
    public internal(set) var isRetrying = false

    /// How long a banner stays before it goes by itself; nil if it stays until it is dismissed.
    ///
    /// A change counts from the next banner on. An error that is ``BannerDurationProviding`` has a time of its own.
    /// While a banner's operation is being run again, its time stands still.
    @ObservationIgnored public var bannerDuration: Duration? = .seconds(6)

    /// The counts of received errors, and of what happened to them, at this moment.
    ///
    /// Errors that a bus has delivered and that the main actor has not processed yet count as waiting.
    public var statistics: Statistics {
        // Registers the access for observation: `settled` changes when the main actor has processed errors.
        _ = settled
        return machine.statistics + inbox.counts
    }

    var settled = Statistics()
    var shownAlert: PresentedError?
    var shownBanner: PresentedError?
    var shownInline: PresentedError?
    @ObservationIgnored var machine: PresenterMachine
    /// The errors that wait or are shown, with what can be done about them.
    @ObservationIgnored var recoveries: [PresentedError.ID: Recovery] = [:]
    /// Whether an error is being placed: its texts and matchers are user code, which may call this presenter.
    @ObservationIgnored var isPlacing = false
    /// How often buses have woken the main actor; for tests.
    @ObservationIgnored var wakeUps = 0
    /// The banner whose time runs.
    @ObservationIgnored var timedBanner: (id: PresentedError.ID, task: Task<Void, Never>)?
    @ObservationIgnored let inbox: PresenterInbox
    @ObservationIgnored let clock: any Clock<Duration>
    @ObservationIgnored let rules: ErrorMap<PresentationStyle>
    @ObservationIgnored let texts: ErrorMap<PresentedText?>

    /// Makes a presenter that shows nothing.
    ///
    /// - Parameters:
    ///   - rules: How errors are shown. What a person waits for, the failure of
    ///     ``run(failureTitle:errors:fileID:line:_:)`` or of ``present(_:retry:)``, is an alert where no rule matches
    ///     and the others are hidden.
    ///   - texts: The texts to show instead of the errors' own texts.
    ///   - limit: How many errors may wait behind the shown one of each style; not negative. When the queue is full, a
    ///     further error is discarded, because the first errors of a storm show its cause. But an error that did not
    ///     come from a bus belongs to the person's own action: it takes the place of the newest waiting error from a
    ///     bus, and that one is discarded. The failure of a retry may wait beyond the limit. A separate inbox holds
    ///     reports, repeats included, that the main actor has not processed yet: as many as `limit`, and at least
    ///     1,024.
    ///   - clock: The clock by which banners go; a test passes its own.
    public init(
        rules: ErrorMap<PresentationStyle> = .default,
        texts: ErrorMap<PresentedText?> = ErrorMap(default: nil),
        limit: Int = 64,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        if limit < 0 { fatalError("ErrorPresenter: limit must not be negative, but is \(limit)") }
        self.rules = rules
        self.texts = texts
        self.clock = clock
        machine = PresenterMachine(limit: limit)
        inbox = PresenterInbox(capacity: max(limit, 1024))
    }

    deinit { inbox.close() }

    /// Presents the failures that a bus delivers from now on.
    ///
    /// The bus never waits for the main actor, which is woken once for a batch of reports. A report that does not fit
    /// into the inbox is counted as discarded, unless it is never shown: an attempt, a notice, an ignored error, or a
    /// failure that its own view shows, as a ``Loader``'s and those of ``run(failureTitle:errors:fileID:line:_:)``.
    ///
    /// - Parameter bus: The bus. Do not observe its scopes too: the bus delivers their reports, which would come twice.
    /// - Returns: The observation, which ends when it is released. It does not retain the presenter.
    public func observe(_ bus: ErrorBus) -> ErrorObservation { bus.observe(receiver) }

    /// Presents the failures that a scope and the scopes below it deliver from now on; see ``observe(_:)-(ErrorBus)``.
    ///
    /// - Parameter scope: The scope.
    /// - Returns: The observation, which ends when it is released. It does not retain the presenter.
    public func observe(_ scope: ErrorScope) -> ErrorObservation { scope.observe(receiver) }

    /// Presents an error that the caller has caught, without posting it.
    ///
    /// The error counts as the result of the person's own action: in a full queue, it takes the place of an error that
    /// came from a bus. In a cancelled task, a cancellation is not shown.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - retry: The operation to run again if the person wants to. If it fails, it must present its failure with this
    ///     function or with ``run(failureTitle:errors:fileID:line:_:)``; that failure is shown next, before the waiting
    ///     errors of its style. It counts as cancelled, and `error` stays, if it presents an error in a cancelled task,
    ///     or if its task is cancelled when it returns.
    public func present(_ error: any Error, retry: (@MainActor () async -> Void)? = nil) {
        let error = Self.unboxed(error)
        if Task.isCancelled, retried != nil || Cancellation.role(of: error) == nil { return passCancellation() }
        var arrival = Arrival(error: error, count: 1, isAskedFor: true, retried: retried)
        if let retry {
            arrival.retry = { [weak self] in
                await retry()
                if Task.isCancelled { self?.noteCancelledRetry() }
            }
        }
        present(arrival)
    }

    /// Dismisses an error, and shows the next one of its style.
    ///
    /// If another error is shown meanwhile, nothing happens: the person has not seen that one. If the error's operation
    /// is being run again, it goes on; its failure is shown next all the same.
    ///
    /// - Parameter error: The error that the person saw.
    public func dismiss(_ error: PresentedError) { remove(error, keepsRecovery: false) }

    /// Dismisses the shown alert, else the shown banner, else the shown inline error; see ``dismiss(_:)``.
    ///
    /// Use it where no particular error is meant, for example to empty the queues. A button should call ``dismiss(_:)``
    /// with the error that the person saw, because another one may be shown meanwhile.
    public func dismiss() { remove(foremost, keepsRecovery: false) }

    /// Dismisses all errors that a matcher matches, shown and waiting ones.
    ///
    /// For causes that are gone: `dismissAll(matching: .type(Offline.self))` when the network is back. An error that
    /// waited counts as discarded. Of repeats, the first error is asked. An operation that is being run again goes on.
    ///
    /// - Parameter matcher: Matches the errors to dismiss.
    public func dismissAll<Output>(matching matcher: ErrorMatcher<Output>) {
        if !isPlacing { emptyInbox() }
        // A copy: the matcher is user code, which may call this presenter.
        let matching = recoveries.filter { $0.value.error.flatMap(matcher.match) != nil }
        machine.dismissAll(Set(matching.keys))
        publish()
        for (id, recovery) in matching { discard(recovery, of: id) }
    }

    /// Runs the operation of an error again, and returns when the operation has ended.
    ///
    /// The error is shown until then, and then disappears. If the operation throws in a cancelled task, the error stays
    /// and can be retried, whatever the operation threw. If the operation fails again, its
    /// failure is shown next, as a new error with its own number, whatever waits. So the operation is run once, however
    /// often a button is tapped and however late a tap's task begins, and a tap never retries an error that the person
    /// has not seen.
    ///
    /// A binding that is set to nil dismisses the error, and does not keep its operation from being run, because
    /// SwiftUI closes an alert before the task of its button begins. If the operation is cancelled then, the error is
    /// shown again.
    ///
    /// Nothing happens if the error has no operation, if that is being run again or has been, or if the error was
    /// dismissed by ``dismiss(_:)``.
    ///
    /// - Parameter error: The error that the person saw.
    public func retry(_ error: PresentedError) async { await runAgain(error) }

    /// Runs the operation of the shown alert again, else of the shown banner, else of the inline error; see
    /// ``retry(_:)``.
    ///
    /// A call while any operation is being run again does nothing. A call after that retries the error that is shown by
    /// then. So a button, whose taps run in separate tasks, should call ``retry(_:)``; this function is for code
    /// that means whichever error is shown.
    public func retry() async {
        if let foremost, !isRetrying { await runAgain(foremost) }
    }

    /// Carries out an option that a `RecoverableError` offers, and returns when that has ended.
    ///
    /// If the error says that it has recovered, the failed operation is run again if there is one, as by ``retry(_:)``,
    /// and the error disappears; otherwise the error stays, and another option can be chosen. The error is asked on the
    /// main actor, by `attemptRecovery(optionIndex:resultHandler:)`.
    ///
    /// Nothing happens where ``retry(_:)`` would do nothing, or if there is no such option.
    ///
    /// - Parameters:
    ///   - error: The error that the person saw.
    ///   - option: The option's place in ``PresentedError/recoveryOptions``.
    public func recover(_ error: PresentedError, option: Int) async { await runAgain(error, option: option) }

    private var foremost: PresentedError? { shownAlert ?? shownBanner ?? shownInline }
}
