public import ErrorRouting
public import Observation

/// Presents errors to the user: one at a time in each style, in order, with repeats merged into one.
///
/// Any view can bind a presenter, wherever the errors come from:
///
/// ```swift
/// let presenter = ErrorPresenter(rules: .default.on(Offline.self, .banner))
/// let observation = presenter.observe(bus)  // continues while it is retained
/// …
/// let order = await presenter.run(failureTitle: "The order could not be placed") { try await client.place(cart) }
/// ```
///
/// Rules with the same matchers as everywhere else decide whether and how an error is shown. Each style has its own
/// queue, so that an error next to a text field doesn't delay an alert. From a bus, the presenter shows only failures.
/// It doesn't show ignored errors, notices, or failures that another view shows. A cancellation that `catching` posts
/// is a notice.
@MainActor
@Observable
public final class ErrorPresenter {
    /// The error to show as an alert; nil if there is none.
    ///
    /// In SwiftUI, `binding(for:)` shows and dismisses it.
    public internal(set) var alert: PresentedError?

    /// The error to show as a banner; nil if there is none; see ``alert``.
    public internal(set) var banner: PresentedError?

    /// The error to show next to the element that it concerns; nil if there is none; see ``alert``.
    public internal(set) var inline: PresentedError?

    /// Whether an operation is being retried or an option is being performed.
    public internal(set) var isRetrying = false

    /// How long a banner stays before it disappears; nil if it stays until dismissed.
    ///
    /// A change applies to the next banner. A ``BannerDurationProviding`` error has its own duration. While ``isActive``
    /// is false, or a banner's operation is being retried, its timer is stopped; then its time begins again.
    @ObservationIgnored public var bannerDuration: Duration? = .seconds(6)

    /// Whether the user can see the window that shows the errors; true unless set.
    ///
    /// `presentsErrors` sets it to whether the scene is active. While it is false, the time of a banner is stopped, and
    /// a bus that the presenter shares passes its failures to another window.
    @ObservationIgnored public var isActive = true {
        didSet {
            if isActive == oldValue { return }
            updateWindow()
            timeBanner()
        }
    }

    /// The current counts of received errors, by outcome.
    ///
    /// Errors that a bus delivered but the main actor hasn't processed yet count as waiting.
    public var statistics: Statistics {
        // Register the access for observation: `settled` changes when the main actor has processed errors.
        _ = settled
        return machine.statistics + inbox.counts
    }

    var settled = Statistics()
    /// The places of this window.
    var stage = Stage()
    /// The buses whose failures are shown in one of several windows.
    @ObservationIgnored var shared: [SharedBus] = []
    @ObservationIgnored var machine: PresenterMachine
    /// Whether an error is being added: its texts and matchers are user code, which might call this presenter.
    @ObservationIgnored var isQueueing = false
    /// How often buses woke the main actor; for tests.
    @ObservationIgnored var wakeUps = 0
    /// The banner with a running timer.
    @ObservationIgnored var timedBanner: (id: PresentedError.ID, task: Task<Void, Never>)?
    @ObservationIgnored let inbox: PresenterInbox
    @ObservationIgnored let clock: any Clock<Duration>
    @ObservationIgnored let rules: ErrorMap<PresentationStyle>
    @ObservationIgnored let texts: ErrorMap<PresentedText?>

    /// Creates a presenter that shows nothing.
    ///
    /// - Parameters:
    ///   - rules: How errors are shown. Without a matching rule, an error that the user waits for is an alert, and any
    ///     other error is hidden. The user waits for the failure of ``run(failureTitle:errors:fileID:line:_:)`` and for
    ///     the error passed to ``present(_:retry:)``.
    ///   - texts: The texts to show instead of the errors' own texts.
    ///   - limit: How many errors may wait behind the shown one of each style; not negative. When the queue is full,
    ///     further errors are discarded, because the first errors of a flood show its cause. But an error that didn't
    ///     come from a bus belongs to the user's own action: it replaces the newest waiting error from a bus. The
    ///     failure of a retry may wait beyond the limit. A separate inbox contains reports, including repeats, that the
    ///     main actor hasn't processed yet: as many as `limit`, but at least 1,024.
    ///   - clock: The clock that times banners; a test clock in tests.
    public init(
        rules: ErrorMap<PresentationStyle> = .default, texts: ErrorMap<PresentedText?> = ErrorMap(default: nil),
        limit: Int = 64, clock: any Clock<Duration> = ContinuousClock()
    ) {
        if limit < 0 { fatalError("ErrorPresenter: limit must not be negative, but is \(limit)") }
        (self.rules, self.texts, self.clock) = (rules, texts, clock)
        machine = PresenterMachine(limit: limit)
        inbox = PresenterInbox(capacity: max(limit, 1024))
    }

    deinit {
        // Cancel the task: it and its clock might retain each other.
        timedBanner?.task.cancel()
        inbox.close()
    }

    /// Presents the failures that a bus delivers from now on.
    ///
    /// The bus never waits for the main actor, which wakes once for a batch of reports. A report that doesn't fit into
    /// the inbox counts as discarded, unless it is never shown: an attempt, a notice, an ignored error, or a failure
    /// that another view shows, such as a ``Loader``'s failure or one of ``run(failureTitle:errors:fileID:line:_:)``.
    ///
    /// - Parameter bus: The bus. Don't observe its scopes too: the bus also delivers their reports, so you would
    ///   receive them twice.
    /// - Returns: The observation, which ends when it is released. It doesn't retain the presenter.
    public func observe(_ bus: ErrorBus) -> ErrorObservation { bus.observe(receiver) }

    /// Presents the failures that a scope and its nested scopes deliver from now on; see ``observe(_:)-(ErrorBus)``.
    ///
    /// - Parameter scope: The scope.
    /// - Returns: The observation, which ends when it is released. It doesn't retain the presenter.
    public func observe(_ scope: ErrorScope) -> ErrorObservation { scope.observe(receiver) }

    /// Presents the failures that a bus delivers from now on, if no other window shows them.
    ///
    /// Of all presenters that share a bus, the one whose window became active last shows its failures, each once. A
    /// window counts as active while it has an ``ErrorPlace`` on screen and ``isActive`` is true. When another window
    /// becomes active, it shows the failures that still wait in this one; when the window is closed, also those that
    /// were shown here and not dismissed. If no window is active, the failures wait for one. An error that moves to
    /// another window counts there, and no longer here.
    ///
    /// `presentsErrors(from:)` calls it. It lasts as long as the presenter.
    ///
    /// - Parameter bus: The bus. Don't also observe it with ``observe(_:)-(ErrorBus)``.
    public func share(_ bus: ErrorBus) {
        let sharedBus = SharedBus.of(bus)
        if !shared.contains(where: { $0 === sharedBus }) { shared.append(sharedBus) }
        sharedBus.update(self)
    }

    /// Whether a place of this window is on screen.
    var isOnScreen: Bool { stage.front != nil }

    /// Whether the window can show a shared bus's failures.
    var isInFront: Bool { isActive && isOnScreen }

    func updateWindow() {
        for sharedBus in shared { sharedBus.update(self) }
    }

    /// Presents an error that the caller caught, without posting it.
    ///
    /// The error counts as the result of the user's own action: in a full queue, it replaces an error that came from a
    /// bus. In a cancelled task, a cancellation isn't shown.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - retry: The operation to run again on the user's request. If it fails, it must present its failure with this
    ///     function or with ``run(failureTitle:errors:fileID:line:_:)``. That failure is shown next, before the waiting
    ///     errors of its style. If its task is cancelled when it returns, it counts as cancelled, and `error` stays.
    public func present(_ error: any Error, retry: (@MainActor () async -> Void)? = nil) {
        let isCancelled = Task.isCancelled && (retried != nil || Cancellation.role(of: error) == nil)
        var arrival = Arrival(
            error: Self.unboxed(error), count: 1, isFromUser: true, isHidden: isCancelled,
            retried: isCancelled ? nil : retried)
        if let retry {
            arrival.retry = {
                await retry()
                return !Task.isCancelled
            }
        }
        present(arrival)
    }

    /// The shown error of a style; nil if there is none.
    func shown(as style: PresentationStyle) -> PresentedError? {
        Self.shownErrors.first { $0.style == style }.flatMap { self[keyPath: $0.path] }
    }

    /// Closes an error because one of its buttons was tapped, and shows the next one of its style.
    ///
    /// Other than after ``dismiss(_:)``, the button's task can still call ``retry(_:)`` or ``recover(_:option:)``.
    ///
    /// - Parameter error: The error that the user saw.
    public func close(_ error: PresentedError) { close(error.id) }

    /// Dismisses an error and shows the next one of its style.
    ///
    /// If another error is shown by now, nothing happens, because the user hasn't seen that one. If the error's
    /// operation is being retried, it continues, and its failure is still shown next.
    ///
    /// - Parameter error: The error that the user saw.
    public func dismiss(_ error: PresentedError) { remove(error.id)?.recovery?.discard() }

    /// Dismisses the shown alert; without one, the shown banner; otherwise the shown inline error; see ``dismiss(_:)``.
    ///
    /// Use it if you mean no particular error, for example to empty the queues. In a button, call ``dismiss(_:)`` with
    /// the error that the user saw, because another one might be shown by then.
    public func dismiss() {
        if let foremost { dismiss(foremost) }
    }

    /// Dismisses all shown and waiting errors that a matcher matches.
    ///
    /// Use it when a cause is gone: for example, call `dismissAll(matching: .type(Offline.self))` when the network is
    /// back. A waiting error counts as discarded. For merged repeats, the matcher evaluates the first error. A running
    /// retry continues.
    ///
    /// - Parameter matcher: Matches the errors to dismiss.
    public func dismissAll<Output>(matching matcher: ErrorMatcher<Output>) {
        if !isQueueing { emptyInbox() }
        // Iterate over a copy: the matcher is user code, which might call this presenter.
        let matching = machine.errors.filter { $0.recovery?.error.flatMap(matcher.match) != nil }
        machine.dismissAll(Set(matching.map(\.id)))
        publish()
        for error in matching { error.recovery?.discard() }
    }

    /// Runs an error's operation again and returns when the operation has ended.
    ///
    /// The error stays until the operation ends, and then disappears. If the operation throws in a cancelled task, the
    /// error stays and can be retried again, whatever the operation threw. If the operation fails again, its failure is
    /// shown next, as a new error with its own number, before all waiting errors. The operation runs once, however
    /// often the user taps a button and however late a tap's task begins. A tap never retries an error that the user
    /// hasn't seen.
    ///
    /// Setting a binding to nil dismisses the error but still allows the retry, because SwiftUI closes an alert before
    /// the task of its button begins. If the operation is then cancelled, the error is shown again.
    ///
    /// Nothing happens if the error has no operation, if the operation was or is being retried, or if ``dismiss(_:)``
    /// dismissed the error.
    ///
    /// - Parameter error: The error that the user saw.
    public func retry(_ error: PresentedError) async { await runAgain(error) }

    /// Retries the shown alert; without one, the shown banner; otherwise the shown inline error; see ``retry(_:)``.
    ///
    /// While any operation is being retried, a call does nothing. A later call retries the error that is shown by then.
    /// The taps of a button run in separate tasks, so a button should call ``retry(_:)``. Use this function only if you
    /// mean whichever error is shown.
    public func retry() async {
        if let foremost, !isRetrying { await runAgain(foremost) }
    }

    /// Performs an option of a `RecoverableError` and returns when the option has ended.
    ///
    /// If the error reports that it recovered, the failed operation, if any, runs again as with ``retry(_:)``, and the
    /// error disappears. Otherwise the error stays, and the user can choose another option. The presenter calls the
    /// error's `attemptRecovery(optionIndex:resultHandler:)` on the main actor.
    ///
    /// Nothing happens in the same cases as for ``retry(_:)``, or if there is no such option.
    ///
    /// - Parameters:
    ///   - error: The error that the user saw.
    ///   - option: The option's position in ``PresentedError/recoveryOptions``.
    public func recover(_ error: PresentedError, option: Int) async { await runAgain(error, option: option) }

    private var foremost: PresentedError? { alert ?? banner ?? inline }
}
