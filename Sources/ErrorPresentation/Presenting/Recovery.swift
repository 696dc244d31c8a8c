import ErrorRouting
import Foundation

/// What can be done about a presented error: its operation run again, or one of its options carried out.
///
/// The values of the error that views hold retain it. So a button finds it although the error was dismissed before the
/// button's task begins, as it is in SwiftUI, where each button of an alert closes the alert.
@MainActor
final class Recovery {
    /// The presenter that shows the error; another presenter may use the same number.
    private(set) weak var presenter: ErrorPresenter?
    private(set) var operation: (@MainActor () async -> Void)?
    private var options: (any RecoverableError, positions: [Int])?
    /// Whether it is under way, or has been done.
    private(set) var isSpent = false

    init(of presenter: ErrorPresenter) {
        self.presenter = presenter
    }

    /// Sets the operation; of several repeats the newest one's is kept.
    func set(_ operation: @escaping @MainActor () async -> Void) {
        // Released after the access, since it may hold an object whose `deinit` calls the presenter.
        let former = self.operation
        self.operation = operation
        withExtendedLifetime(former) {}
    }

    /// Sets the error whose options can be carried out, with the positions of those that are shown.
    func set(_ error: any RecoverableError, positions: [Int]) {
        if options == nil { options = (error, positions) }
    }

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
        guard let (error, positions) = options, positions.indices.contains(option) else { return nil }
        return {
            guard await Self.attemptRecovery(from: error, option: positions[option]) else { return false }
            await operation?()
            return true
        }
    }

    /// Allows it to be begun once more.
    func renew() { isSpent = false }

    /// Releases everything, since the error is gone.
    func discard() {
        isSpent = true
        let former = (operation, options)
        (operation, options) = (nil, nil)
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
