public import ErrorRouting
public import Observation

/// Presents errors to the user in order, one at a time in each style, and merges repeats.
///
/// Any view can bind a presenter, regardless of where the errors come from:
///
/// ```swift
/// let presenter = ErrorPresenter(rules: .default.on(Offline.self, .banner))
/// let observation = presenter.observe(bus)  // continues while it is retained
/// …
/// let order = await presenter.run(failureTitle: "The order could not be placed") { try await client.place(cart) }
/// ```
///
/// Rules decide whether and how an error is shown. They use the same matchers as error handlers. Each style has its own
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

    /// The error to show as a banner; nil if there is none.
    public internal(set) var banner: PresentedError?

    /// The error to show next to the element that it concerns; nil if there is none.
    public internal(set) var inline: PresentedError?

    /// Whether an operation is being retried or an option is being performed.
    public internal(set) var isRetrying = false

    /// How long a banner stays on screen; nil if it stays until dismissed.
    ///
    /// A change applies to the next banner. A ``BannerDurationProviding`` error provides its own duration instead. The
    /// timer is stopped while ``isActive`` is false and while the banner's operation is being retried. Afterwards, the
    /// full duration starts again.
    @ObservationIgnored public var bannerDuration: Duration? = .seconds(6)

    /// Whether the user can see the window that shows the errors; true unless set.
    ///
    /// `presentsErrors` sets it when the scene becomes active or inactive. While it is false, a banner's timer is
    /// stopped, and the failures of shared buses go to another window.
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
    /// The state of the window's places.
    var stage = Stage()
    /// The buses that this presenter shares with the presenters of other windows.
    @ObservationIgnored var shared: [SharedBus] = []
    @ObservationIgnored var machine: PresenterMachine
    /// Whether an error is being added: its texts and matchers are user code, which might call this presenter.
    @ObservationIgnored var isQueueing = false
    /// How often buses woke the main actor; for tests.
    @ObservationIgnored var wakeUps = 0
    /// The banner whose timer is running, and the timer's task.
    @ObservationIgnored var timedBanner: (id: PresentedError.ID, task: Task<Void, Never>)?
    @ObservationIgnored let inbox: PresenterInbox
    @ObservationIgnored let clock: any Clock<Duration>
    @ObservationIgnored let rules: ErrorMap<PresentationStyle>
    @ObservationIgnored let texts: ErrorMap<PresentedText?>

    /// Creates a presenter that doesn't show an error yet.
    ///
    /// - Parameters:
    ///   - rules: How errors are shown. If no rule matches, a failure of the user's own action is shown as an alert,
    ///     and any other error is hidden. Such a failure comes from ``run(failureTitle:errors:fileID:line:_:)`` or was
    ///     passed to ``present(_:retry:)``.
    ///   - texts: The texts to show instead of the errors' own texts.
    ///   - limit: How many errors can wait behind the shown error of each style; not negative. When a queue is full,
    ///     further errors are discarded, because the first errors of a flood show its cause. However, an error that
    ///     didn't come from a bus belongs to the user's own action, so it replaces the newest waiting error from a bus.
    ///     The failure of a retry can wait beyond the limit. A separate inbox holds the reports, including repeats,
    ///     that the main actor hasn't processed yet. Its capacity is `limit`, but at least 1,024.
    ///   - clock: The clock that times banners. Pass a test clock in tests.
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
    /// the inbox counts as discarded. Attempts, notices, ignored errors, and failures that another view shows don't
    /// need room in the inbox, because the presenter never shows them. Other views show the failures of a ``Loader``
    /// and of ``run(failureTitle:errors:fileID:line:_:)``.
    ///
    /// - Parameter bus: The bus to observe. Don't observe its scopes too, because the bus also delivers their reports,
    ///   and the presenter would receive them twice.
    /// - Returns: The observation, which ends when it is released. It doesn't retain the presenter.
    public func observe(_ bus: ErrorBus) -> ErrorObservation { bus.observe(receiver) }

    /// Presents the failures that a scope and its nested scopes deliver from now on; see ``observe(_:)-(ErrorBus)``.
    ///
    /// - Returns: The observation, which ends when it is released. It doesn't retain the presenter.
    public func observe(_ scope: ErrorScope) -> ErrorObservation { scope.observe(receiver) }

    /// Presents the failures that a bus delivers from now on, if no other window shows them.
    ///
    /// Of all presenters that share a bus, the presenter whose window became active last shows the bus's failures, each
    /// once. A window counts as active while it has an ``ErrorPlace`` on screen and ``isActive`` is true. When another
    /// window becomes active, it shows the failures that are still waiting in this window. When this window is closed,
    /// the other window also shows the failures that were shown here and not dismissed. If no window is active, the
    /// failures wait until a window becomes active. An error that moves to another window is counted there and no
    /// longer here.
    ///
    /// `presentsErrors(from:)` calls this method. The bus stays shared until the presenter is released.
    ///
    /// - Parameter bus: The bus to share. Don't also observe it with ``observe(_:)-(ErrorBus)``.
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
    /// The error counts as the result of the user's own action, so in a full queue it replaces an error that came from
    /// a bus. In a cancelled task, a cancellation isn't shown. If that task is running a retry, other errors aren't
    /// shown either.
    ///
    /// - Parameters:
    ///   - error: The error to present.
    ///   - retry: The operation to run again on the user's request. If it fails, it must present its failure with this
    ///     function or with ``run(failureTitle:errors:fileID:line:_:)``. That failure is shown next, before the waiting
    ///     errors of its style. If the task is cancelled when the operation returns, the retry counts as cancelled, and
    ///     `error` stays.
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

    /// Closes an error because the user tapped one of its buttons, and shows the next error of its style.
    ///
    /// Unlike after ``dismiss(_:)``, the button's task can still call ``retry(_:)`` or ``recover(_:option:)``.
    ///
    /// - Parameter error: The error that the user saw.
    public func close(_ error: PresentedError) { close(error.id) }

    /// Dismisses an error and shows the next error of its style.
    ///
    /// If the error is already gone, the call has no effect: it doesn't dismiss another error, which the user hasn't
    /// seen. If the error's operation is being retried, the retry continues, and its failure is still shown next.
    ///
    /// - Parameter error: The error that the user saw.
    public func dismiss(_ error: PresentedError) { remove(error.id)?.recovery?.discard() }

    /// Dismisses the first of these that is shown: the alert, the banner, the inline error.
    ///
    /// Use it if you don't mean a particular error, for example to empty the queues. In a button, call ``dismiss(_:)``
    /// with the error that the user saw, because another error might be shown by then.
    public func dismiss() {
        if let foremost { dismiss(foremost) }
    }

    /// Dismisses all shown and waiting errors that a matcher matches.
    ///
    /// Use it when the cause of errors is gone. For example, call `dismissAll(matching: .type(Offline.self))` when the
    /// network is back. A waiting error counts as discarded. For merged repeats, the matcher is called with the first
    /// error. A running retry continues.
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

    /// Runs an error's operation again and returns when the operation has finished.
    ///
    /// The error stays until the operation finishes and then disappears. If the operation throws any error in a
    /// cancelled task, the presented error stays and can be retried again. If the operation fails again, its failure is
    /// shown next, before all waiting errors, as a new error with its own ID. The operation runs once, regardless of
    /// how often the user taps a button and how late a tap's task begins. A tap never retries an error that the user
    /// hasn't seen.
    ///
    /// Setting a binding to nil dismisses the error but still allows the retry, because SwiftUI closes an alert before
    /// its button's task begins. If the operation is then cancelled, the error is shown again.
    ///
    /// The call has no effect if the error has no operation, if the operation is being or has been retried, or if
    /// ``dismiss(_:)`` dismissed the error.
    ///
    /// - Parameter error: The error that the user saw.
    public func retry(_ error: PresentedError) async { await runAgain(error) }

    /// Retries the first of these that is shown: the alert, the banner, the inline error.
    ///
    /// While any operation is being retried, a call has no effect. A later call retries the error that is shown by
    /// then. A button's taps run in separate tasks, so a button should call ``retry(_:)``. Use this method only if you
    /// mean whichever error is shown.
    public func retry() async {
        if let foremost, !isRetrying { await runAgain(foremost) }
    }

    /// Performs an option of a `RecoverableError` and returns when the option has finished.
    ///
    /// If the error reports that it recovered, the failed operation, if any, runs again as with ``retry(_:)``, and the
    /// error disappears. Otherwise the error stays, and the user can choose another option. The presenter calls the
    /// error's `attemptRecovery(optionIndex:resultHandler:)` on the main actor.
    ///
    /// The call has no effect if the error doesn't have the option, if it is being or has been retried or recovered, or
    /// if ``dismiss(_:)`` dismissed the error.
    ///
    /// - Parameters:
    ///   - error: The error that the user saw.
    ///   - option: The option's position in ``PresentedError/recoveryOptions``.
    public func recover(_ error: PresentedError, option: Int) async { await runAgain(error, option: option) }

    private var foremost: PresentedError? { alert ?? banner ?? inline }
}
