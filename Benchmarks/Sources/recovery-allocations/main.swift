import Contenders
import Dispatch
import Foundation

/// Runs operations that succeed at once, with a retry and a circuit around them; check-allocations.sh counts what that
/// allocates.
@concurrent
func recover(_ count: Int) async {
    for contender in Contender.recovery { await contender.run(count) }
}

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000
// The main thread waits, and does not end as an asynchronous `main` lets it: valgrind does not survive that.
let done = DispatchSemaphore(value: 0)
Task.detached {
    await recover(count)
    done.signal()
}
done.wait()
