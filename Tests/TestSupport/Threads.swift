import Dispatch
import Foundation
import Synchronization

/// Runs a body on new threads, which begin at the same time, and waits until all have ended.
///
/// The system interrupts threads anywhere, unlike tasks, and there can be more threads than cores.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) async {
    let start = StartingLine(count)
    await withCheckedContinuation { continuation in
        let running = DispatchGroup()
        for thread in 0..<count {
            running.enter()
            Thread.detachNewThread {
                start.wait()
                body(thread)
                running.leave()
            }
        }
        running.notify(queue: .global()) { continuation.resume() }
    }
}

/// Lets other threads run, for a caller that can only wait for them.
package func yieldToOtherThreads() { sched_yield() }

/// A barrier at which threads wait for each other.
private final class StartingLine: Sendable {
    private let count: Int
    private let arrived = Atomic<Int>(0)
    private let go = DispatchSemaphore(value: 0)

    init(_ count: Int) { self.count = count }

    func wait() {
        if arrived.wrappingAdd(1, ordering: .relaxed).newValue == count {
            for _ in 0..<count { go.signal() }
        }
        go.wait()
    }
}
