public import Observation

/// A view that shows a window's errors while no other place is in front of it.
///
/// `presentsErrors` creates a place for each view. Create one for each view of your own that shows alerts or banners:
/// read ``alert`` and ``banner``, and call ``appear(in:)`` and ``disappear()``. Of the places on screen, the one that
/// was created last shows the errors, such as the content of the sheet that was opened last.
@MainActor
@Observable
public final class ErrorPlace {
    @ObservationIgnored private static var last: Stage.Place = 0

    @ObservationIgnored private let number: Stage.Place
    private weak var presenter: ErrorPresenter?

    /// Creates a place that isn't on screen.
    public init() {
        Self.last += 1
        number = Self.last
    }

    /// The error to show as an alert here; nil if the alert must be closed.
    public var alert: PresentedError? {
        presenter.flatMap { $0.stage.isOpen(in: number) ? $0.alert : nil }
    }

    /// The error to show as a banner here; nil if there is none.
    public var banner: PresentedError? { presenter.flatMap { $0.stage.front == number ? $0.banner : nil } }

    /// A number that changes whenever ``alert`` does, even if it has the former value again.
    public var turn: Int { presenter?.stage.turn ?? 0 }

    /// Begins to show a presenter's errors, because the view is on screen.
    ///
    /// - Parameter presenter: The presenter of the view's window.
    public func appear(in presenter: ErrorPresenter) {
        if self.presenter !== presenter { disappear() }
        self.presenter = presenter
        presenter.stage.appear(number)
        presenter.updateWindow()
    }

    /// Stops showing errors, because the view is gone.
    ///
    /// The place that is now in front shows them, including an alert that was open here.
    public func disappear() {
        presenter?.stage.disappear(number)
        presenter?.updateWindow()
        presenter = nil
    }

    /// Confirms that no alert is open here.
    ///
    /// Call it when the view has closed its alert because ``alert`` is nil: the next alert waits for that. If the alert
    /// was closed although ``alert`` isn't nil and no button was tapped, it is shown again, here or by the place that is
    /// in front by then.
    public func alertDidClose() { presenter?.stage.close(number) }
}
