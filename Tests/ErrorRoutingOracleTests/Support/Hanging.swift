import ErrorRouting
import ErrorRoutingTesting

/// Rules whose asynchronous action hangs on error 1, regardless of cancellations, and that note the numbers that get
/// further.
struct Hanging {
    /// Opens when the action has begun.
    let entered = Gate()
    /// Opens when the action's task was cancelled.
    let cancelled = Gate()
    /// Lets the action continue.
    let leave = Gate()
    /// Opens when the action ends.
    let left = Gate()
    /// The numbers for which the rule after the action has run.
    let later = Log<Int>()
    let handler: ErrorHandler

    /// - Parameter end: What the action does at its end.
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
