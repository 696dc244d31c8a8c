import ErrorRouting
import Foundation

/// A presented error with what can be done about it: its operation run again, or one of its options carried out.
///
/// The values of the error that views hold retain it. So a button finds it although the error was dismissed before the
/// button's task begins, as it is in SwiftUI, where each button of an alert closes the alert.
@MainActor
final class Recovery {
    /// The presenter that shows the error; another presenter may use the same number.
    private(set) weak var presenter: ErrorPresenter?
    /// The error; nil once the presenter is done with it.
    private(set) var error: (any Error)?
    /// How long a banner stays, as the error itself says; nil if it does not.
    let bannerDuration: Duration??
    private var operation: (@MainActor () async -> Void)?
    /// The positions of the options that are shown, among all of the error's.
    private let optionPositions: [Int]
    /// Whether it is under way, or has been done.
    private var isSpent = false

    init(of arrival: Arrival, _ optionPositions: [Int], bannerDuration: Duration??, on presenter: ErrorPresenter) {
        self.presenter = presenter
        self.bannerDuration = bannerDuration
        self.optionPositions = optionPositions
        error = arrival.error
        operation = arrival.retry
    }

    /// Whether the person has dismissed the error, or the presenter is done with it.
    var isDiscarded: Bool { error == nil }

    /// Returns what to do: the operation, or an option with the operation after it; nil if that is not possible (any
    /// more).
    ///
    /// - Parameter option: The option's place among those that are shown; nil for the operation.
    /// - Returns: A closure that returns whether it has come to its end, rather than left the error as it was.
    func begin(option: Int?) -> (@MainActor () async -> Bool)? {
        guard !isSpent, let action = action(option) else { return nil }
        isSpent = true
        return action
    }

    private func action(_ option: Int?) -> (@MainActor () async -> Bool)? {
        let operation = operation
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

    /// Allows it to be begun once more.
    func renew() { isSpent = false }

    /// Releases everything, since the error is gone.
    func discard() {
        isSpent = true
        // Released after the access, since it may hold an object whose `deinit` calls the presenter.
        let former = (operation, error)
        (operation, error) = (nil, nil)
        withExtendedLifetime(former) {}
    }

    /// Carries out an option, and returns whether the error is recovered from; false in a cancelled task, and if the
    /// error never says.
    private static func attemptRecovery(from error: any RecoverableError, option: Int) async -> Bool {
        let (answers, answer) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingOldest(1))
        error.attemptRecovery(optionIndex: option, resultHandler: resultHandler(answer))
        for await isRecovered in answers { return isRecovered }
        return false
    }

    /// Returns a handler that may be called on any thread, and more than once; if it is never called, the stream ends
    /// when it is released.
    private static func resultHandler(_ answer: AsyncStream<Bool>.Continuation) -> (Bool) -> Void {
        let end = EndOfStream(answer)
        return { recovered in
            end.continuation.yield(recovered)
            end.continuation.finish()
        }
    }

    private final class EndOfStream: Sendable {
        let continuation: AsyncStream<Bool>.Continuation

        init(_ continuation: AsyncStream<Bool>.Continuation) { self.continuation = continuation }

        deinit { continuation.finish() }
    }
}
