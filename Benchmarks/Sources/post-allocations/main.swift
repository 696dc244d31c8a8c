import Contenders
import Dispatch
import ErrorRouting
import Foundation

/// Posts a number of errors to a bus, which handles them if `isDelivered` is true.
///
/// The script check-allocations.sh counts the allocations.
@concurrent
func post(_ count: Int, isDelivered: Bool) async {
    let bus = ErrorBus(handler: Handlers.plainTypes(), configuration: .init(capacity: count))
    for _ in 0..<count { bus.post(E1()) }
    if isDelivered {
        bus.finish()
        await bus.run()
    } else {
        // Retain the bus forever: a bus that is deallocated writes its pending errors to standard error.
        _ = Unmanaged.passRetained(bus)
    }
}

let arguments = CommandLine.arguments.dropFirst()
let count = arguments.first.flatMap { Int($0) } ?? 1_000
// Block the main thread: an asynchronous `main` would end the thread, which crashes valgrind.
let done = DispatchSemaphore(value: 0)
Task.detached {
    await post(count, isDelivered: arguments.contains("deliver"))
    done.signal()
}
done.wait()
