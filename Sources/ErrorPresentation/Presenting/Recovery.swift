import ErrorRouting
import Foundation

/// A presented error, and the actions that can recover from it: a retry of its operation, or one of its options.
///
/// The error's values in views retain it. So a button can still use it after the error was dismissed. In SwiftUI, each
/// button of an alert closes the alert before the button's task begins.
@MainActor
final class Recovery {
    /// The presenter that shows the error.
    ///
    /// Another presenter might use the same number.
    private(set) weak var presenter: ErrorPresenter?
    /// The error; nil after the user dismissed it or its retry has ended.
    var error: (any Error)? { arrival?.error }
    /// The banner duration from the error itself; nil if the error has none.
    let bannerDuration: Duration??
    /// The error and its operation.
    private var arrival: Arrival?
    /// The positions of the shown options among all of the error's options.
    private let optionPositions: [Int]

    init(of arrival: Arrival, _ optionPositions: [Int], on presenter: ErrorPresenter) {
        (self.presenter, self.arrival, self.optionPositions) = (presenter, arrival, optionPositions)
        bannerDuration = (arrival.error as? any BannerDurationProviding).map(\.bannerDuration)
    }

    /// Returns the error and its operation, for ``perform(_:of:)``; nil if the recovery isn't possible.
    ///
    /// - Parameter option: The option's position among the shown ones; nil for the operation.
    func arrival(for option: Int?) -> Arrival? {
        let isPossible = option.map(optionPositions.indices.contains) ?? (arrival?.retry != nil)
        return isPossible ? arrival : nil
    }

    /// Performs the operation, or an option followed by the operation.
    ///
    /// - Returns: Whether it finished. If not, the error stays, unless the operation failed.
    func perform(_ option: Int?, of arrival: Arrival) async -> Bool {
        if let option, let error = arrival.error as? any RecoverableError {
            guard await Self.attemptRecovery(from: error, option: optionPositions[option]) else { return false }
        }
        return await arrival.retry?() ?? true
    }

    /// Releases everything, because the error is gone; a running operation ends on its own.
    func discard() {
        // Release the values after the access: a `deinit` might call the presenter.
        let former = arrival.take()
        withExtendedLifetime(former) {}
    }

    /// Performs an option and returns whether the error recovered.
    ///
    /// It returns false in a cancelled task, or if the error releases the handler without calling it.
    private static func attemptRecovery(from error: any RecoverableError, option: Int) async -> Bool {
        let isRecovered = Promise<Bool>()
        error.attemptRecovery(optionIndex: option, resultHandler: Answer(isRecovered).give)
        return await withTaskCancellationHandler {
            await isRecovered.value
        } onCancel: {
            isRecovered.fulfill(false)
        }
    }

    /// Answers false when it is released, because the error might never call its handler.
    private final class Answer: Sendable {
        private let isRecovered: Promise<Bool>

        init(_ isRecovered: Promise<Bool>) { self.isRecovered = isRecovered }

        deinit { isRecovered.fulfill(false) }

        func give(_ answer: Bool) { isRecovered.fulfill(answer) }
    }
}
