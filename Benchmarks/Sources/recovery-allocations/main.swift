import Contenders
import Dispatch
import Foundation

/// Runs operations that succeed immediately, with retries and a circuit.
///
/// The script check-allocations.sh counts the allocations.
@concurrent
func recover(_ count: Int) async {
    for contender in Contender.recovery { await contender.run(count) }
}

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000
// Block the main thread: an asynchronous `main` would end the thread, which crashes valgrind.
let done = DispatchSemaphore(value: 0)
Task.detached {
    await recover(count)
    done.signal()
}
done.wait()
