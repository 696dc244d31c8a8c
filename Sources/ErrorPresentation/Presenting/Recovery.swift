import ErrorRouting
import Foundation

/// A presented error and the actions that can recover from it: its operation, which can be retried, and its options.
///
/// The `PresentedError` values in views retain the recovery, so that a button can still use it after its alert was
/// closed. In SwiftUI, tapping an alert's button closes the alert before the button's task begins.
@MainActor
final class Recovery {
    /// The presenter that shows the error.
    ///
    /// Presenters compare it with themselves, because another presenter might use the same ID.
    private(set) weak var presenter: ErrorPresenter?
    /// The error; nil after it was dismissed or its retry has finished.
    var error: (any Error)? { arrival?.error }
    /// The banner duration that the error itself provides; nil if its type doesn't provide a duration.
    let bannerDuration: Duration??
    /// The error and its operation; nil after `discard()`.
    private var arrival: Arrival?
    /// The positions of the shown options among all of the error's options.
    private let optionPositions: [Int]

    init(of arrival: Arrival, _ optionPositions: [Int], on presenter: ErrorPresenter) {
        (self.presenter, self.arrival, self.optionPositions) = (presenter, arrival, optionPositions)
        bannerDuration = (arrival.error as? any BannerDurationProviding).map(\.bannerDuration)
    }

    /// Returns the error and its operation, for ``perform(_:of:)``; nil if the recovery isn't possible.
    ///
    /// The option is a position among the shown options, or nil to run only the operation.
    func arrival(for option: Int?) -> Arrival? {
        let isPossible = option.map(optionPositions.indices.contains) ?? (arrival?.retry != nil)
        return isPossible ? arrival : nil
    }

    /// Performs an option, if there is one, and then the operation.
    ///
    /// - Returns: Whether the recovery finished. If it didn't, the error stays, unless the operation failed.
    func perform(_ option: Int?, of arrival: Arrival) async -> Bool {
        if let option, let error = arrival.error as? any RecoverableError {
            guard await Self.attemptRecovery(from: error, option: optionPositions[option]) else { return false }
        }
        return await arrival.retry?() ?? true
    }

    /// Releases the error and its operation, because the error is gone.
    ///
    /// A running operation continues.
    func discard() {
        // Release the values after the access: their `deinit` might call the presenter.
        let former = arrival.take()
        withExtendedLifetime(former) {}
    }

    /// Performs an option and returns whether the error recovered.
    ///
    /// The result is false if the task is cancelled or if the error releases the handler without calling it.
    private static func attemptRecovery(from error: any RecoverableError, option: Int) async -> Bool {
        let isRecovered = Promise<Bool>()
        error.attemptRecovery(optionIndex: option, resultHandler: Answer(isRecovered).give)
        return await withTaskCancellationHandler {
            await isRecovered.value
        } onCancel: {
            isRecovered.fulfill(false)
        }
    }

    /// A result handler that answers false when it is released, because an error might never call its handler.
    private final class Answer: Sendable {
        private let isRecovered: Promise<Bool>

        init(_ isRecovered: Promise<Bool>) { self.isRecovered = isRecovered }

        deinit { isRecovered.fulfill(false) }

        func give(_ answer: Bool) { isRecovered.fulfill(answer) }
    }
}
