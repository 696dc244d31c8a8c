import Dispatch
import Foundation
import Synchronization

/// Runs a body on threads of its own, which begin together, and waits until all have ended.
///
/// Threads, not tasks: the system interrupts them anywhere, between reservation and push say, and there may be more of
/// them than cores.
func onThreads(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) async {
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

/// Lets other threads go first, where one can do nothing but wait for them.
func yieldToOtherThreads() { sched_yield() }

/// Where threads wait for each other.
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
