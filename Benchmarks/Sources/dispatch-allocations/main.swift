import Contenders
import Dispatch
import ErrorRouting
import Foundation

/// Dispatches errors with and without a matching rule a number of times.
///
/// The script check-allocations.sh counts the allocations.
@concurrent
func dispatch(_ count: Int) async {
    let types = Handlers.types(64)
    let values = Handlers.values(64)
    let hierarchy = Handlers.hierarchy(64)
    let map = Handlers.map(64)
    let (first, unknown): (any Error, any Error) = (Handlers.firstOfTypes, Unknown())
    let (status, leaf): (any Error, any Error) = (Status.code(0), LeafError())
    for _ in 0..<count {
        await types.handle(first)
        await types.handle(unknown)
        await values.handle(status)
        await hierarchy.handle(leaf)
        consume(types.handleSynchronously(first))
        consume(map[first])
    }
}

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000
// Block the main thread: an asynchronous `main` would end the thread, which crashes valgrind.
let done = DispatchSemaphore(value: 0)
Task.detached {
    await dispatch(count)
    done.signal()
}
done.wait()
