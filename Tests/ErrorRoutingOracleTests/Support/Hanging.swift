import ErrorRouting
import ErrorRoutingTesting

/// Rules with an asynchronous action that hangs on error 1 and ignores cancellations.
///
/// The rules note the numbers that reach the rule after the action.
struct Hanging {
    /// Opens when the action has begun.
    let entered = Gate()
    /// Opens when the action's task was cancelled.
    let cancelled = Gate()
    /// Lets the action continue.
    let leave = Gate()
    /// Opens when the action ends.
    let left = Gate()
    /// The numbers for which the rule after the action ran.
    let later = Log<Int>()
    let handler: ErrorHandler

    /// - Parameter end: The code that the action runs at its end.
    init(_ end: @escaping @Sendable () throws -> HandleStrategy = { .next }) {
        handler = ErrorHandler()
            .on(Mishap.self) { [later] error in
                later.add(error.number)
                return .stop
            }
            .on(Mishap(1)) { [entered, cancelled, leave, left] _ in
                entered.open()
                await withTaskCancellationHandler {
                    await leave.wait()
                } onCancel: {
                    cancelled.open()
                }
                defer { left.open() }
                return try end()
            }
    }
}
