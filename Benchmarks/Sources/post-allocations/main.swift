import Contenders
import Dispatch
import ErrorRouting
import Foundation

/// Posts as many errors as it is told, to a bus that does not run or, with `deliver`, to one that handles them;
/// check-allocations.sh counts what that allocates.
@concurrent
func post(_ count: Int, isDelivered: Bool) async {
    let bus = ErrorBus(handler: Handlers.plainTypes(), configuration: .init(capacity: count))
    for _ in 0..<count { bus.post(E1()) }
    if isDelivered {
        bus.finish()
        await bus.run()
    } else {
        // Not discarded: a bus writes what it still holds to standard error.
        _ = Unmanaged.passRetained(bus)
    }
}

let arguments = CommandLine.arguments.dropFirst()
let count = arguments.first.flatMap { Int($0) } ?? 1_000
// The main thread waits, and does not end as an asynchronous `main` lets it: valgrind does not survive that.
let done = DispatchSemaphore(value: 0)
Task.detached {
    await post(count, isDelivered: arguments.contains("deliver"))
    done.signal()
}
done.wait()
