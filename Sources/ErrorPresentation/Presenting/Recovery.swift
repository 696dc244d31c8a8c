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
    /// The error; nil after the presenter discarded it.
    var error: (any Error)? { arrival?.error }
    /// The banner duration from the error itself; nil if the error has none.
    let bannerDuration: Duration??
    /// The error's operation; nil after the presenter discarded the error.
    private var arrival: Arrival?
    /// The positions of the shown options among all of the error's options.
    private let optionPositions: [Int]
    /// Whether the recovery is running or has been used.
    private var isSpent = false

    init(of arrival: Arrival, _ optionPositions: [Int], bannerDuration: Duration??, on presenter: ErrorPresenter) {
        (self.presenter, self.arrival) = (presenter, arrival)
        (self.bannerDuration, self.optionPositions) = (bannerDuration, optionPositions)
    }

    /// Whether the user dismissed the error, or the presenter discarded it.
    var isDiscarded: Bool { error == nil }

    /// Returns the action: the operation, or an option followed by the operation.
    ///
    /// It is nil if the action isn't possible, or no longer possible.
    ///
    /// - Parameter option: The option's position among the shown ones; nil for the operation.
    /// - Returns: A closure that returns whether it finished. If not, the error stays.
    func begin(option: Int?) -> (@MainActor () async -> Bool)? {
        guard !isSpent, let action = action(option) else { return nil }
        isSpent = true
        return action
    }

    private func action(_ option: Int?) -> (@MainActor () async -> Bool)? {
        let operation = arrival?.retry
        guard let option else {
            guard let operation else { return nil }
            return {
                await operation()
                return true
            }
        }
        guard let error = error as? any RecoverableError, optionPositions.indices.contains(option) else { return nil }
        let position = optionPositions[option]
        return {
            guard await Self.attemptRecovery(from: error, option: position) else { return false }
            await operation?()
            return true
        }
    }

    /// Allows the recovery to begin again.
    func renew() { isSpent = false }

    /// Releases everything, because the error is gone.
    func discard() {
        isSpent = true
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
