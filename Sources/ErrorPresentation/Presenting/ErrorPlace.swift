public import Observation

/// The place of a view that shows a window's errors unless another place is in front of it.
///
/// `presentsErrors` creates a place for each view. Create a place for each custom view that shows alerts or banners,
/// read its ``alert`` and ``banner``, and call ``appear(in:)`` and ``disappear()``. Of the places on screen, the place
/// that was created last shows the errors. Usually, it belongs to the content of the sheet that was opened last.
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

    /// The error to show as an alert here; nil if no alert should be open here.
    public var alert: PresentedError? {
        presenter.flatMap { $0.stage.isOpen(in: number) ? $0.alert : nil }
    }

    /// The error to show as a banner here; nil if there is none.
    public var banner: PresentedError? { presenter.flatMap { $0.stage.front == number ? $0.banner : nil } }

    /// A number that changes whenever ``alert`` does, even if ``alert`` returns to a former value.
    public var turn: Int { presenter?.stage.turn ?? 0 }

    /// Starts showing a presenter's errors.
    ///
    /// Call it when the view appears.
    ///
    /// - Parameter presenter: The window's presenter.
    public func appear(in presenter: ErrorPresenter) {
        if self.presenter !== presenter { disappear() }
        self.presenter = presenter
        presenter.stage.appear(number)
        presenter.updateWindow()
    }

    /// Stops showing errors.
    ///
    /// Call it when the view disappears. The place that is now in front shows the errors, including an alert that was
    /// open here.
    public func disappear() {
        presenter?.stage.disappear(number)
        presenter?.updateWindow()
        presenter = nil
    }

    /// Confirms that no alert is open here.
    ///
    /// Call it when the view has closed its alert because ``alert`` is nil. The next alert is shown only after this
    /// call. Also call it if the alert was closed although ``alert`` isn't nil and the user didn't tap a button. Then
    /// ``alert`` becomes nil. Call the method once more when the view has been updated; the error is then shown again,
    /// here or in whichever place is in front.
    public func alertDidClose() { presenter?.stage.close(number) }
}
