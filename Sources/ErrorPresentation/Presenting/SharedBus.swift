import ErrorRouting

/// Passes each bus failure to one window: the window whose scene became active last.
///
/// While no scene is active, the failures wait in the inbox. When a window is no longer in front, its waiting errors
/// return to the inbox; when a window is closed, its shown errors return too.
@MainActor
final class SharedBus {
    private static var all: [ObjectIdentifier: SharedBus] = [:]

    /// Returns the instance for a bus.
    ///
    /// The instance is retained at least until the bus is released.
    static func of(_ bus: ErrorBus) -> SharedBus {
        if let shared = all[ObjectIdentifier(bus)], shared.bus === bus { return shared }
        all = all.filter { $0.value.bus != nil }
        let shared = SharedBus()
        shared.bus = bus
        shared.observation = bus.observe(shared.receiver)
        all[ObjectIdentifier(bus)] = shared
        return shared
    }

    private weak var bus: ErrorBus?
    private var observation: ErrorObservation?
    let inbox = PresenterInbox(capacity: 1024)
    /// The presenters of active windows, in the order in which their scenes became active.
    private var active: [Weak<ErrorPresenter>] = []

    /// The presenter that shows the failures; nil if no window is active.
    private var front: ErrorPresenter? { active.last { $0.object != nil }?.object }

    var receiver: @Sendable (ErrorReport) -> Void {
        { [inbox, weak self] report in
            if inbox.receive(report) { Task.detached { @MainActor in self?.deliver() } }
        }
    }

    func deliver() { front?.wakeUp() }

    /// Records whether a window is on screen and its scene is active.
    ///
    /// Errors that the window can't show any more return to the inbox.
    func update(_ presenter: ErrorPresenter) {
        let former = front
        active.removeAll { $0.object == nil || $0.object === presenter && !presenter.isInFront }
        if presenter.isInFront, !active.contains(where: { $0.object === presenter }) { active.append(Weak(presenter)) }
        if !presenter.isOnScreen { inbox.putBack(presenter.removeBusErrors(includesShown: true)) }
        if let former, former !== front { inbox.putBack(former.removeBusErrors(includesShown: false)) }
        deliver()
    }

    /// Removes and returns the reports that a presenter must show.
    func take(for presenter: ErrorPresenter) -> PresenterInbox.Batch {
        front === presenter ? inbox.takeAll(atWakeUp: true) : PresenterInbox.Batch()
    }
}
