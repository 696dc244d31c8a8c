import ErrorRouting
import Foundation

/// A simulation in which only sleeps take time.
///
/// Tasks run one job at a time on one thread. If no task can run, the clock advances to the time when the next task
/// wakes.
///
/// Ten thousand tasks that sleep for minutes take no real time, and run in the same order each time.
final class Simulation: TaskExecutor, Clock {
    typealias Instant = ImmediateClock.Instant

    private struct Sleeper {
        let deadline: Instant
        /// The order of sleepers with the same deadline: the first to sleep wakes first.
        let number: Int
        let continuation: CheckedContinuation<Void, Never>

        static func < (first: Sleeper, second: Sleeper) -> Bool {
            (first.deadline, first.number) < (second.deadline, second.number)
        }
    }

    private struct State {
        var now = Instant()
        /// The jobs that can run, in reverse order.
        ///
        /// New jobs are in `added`.
        var jobs: [UnownedJob] = []
        var added: [UnownedJob] = []
        /// A binary heap with the earliest deadline first.
        var sleepers: [Sleeper] = []
        var count = 0
    }

    private let state = Locked(State())

    /// Runs a body, and everything that it starts, in a new simulation.
    static func run<T: Sendable>(_ body: @escaping @Sendable (Simulation) async -> T) async -> T {
        await withCheckedContinuation { continuation in
            // Use a new thread: a thread of the pool would be inside another job.
            Thread.detachNewThread { continuation.resume(returning: Simulation().run(body)) }
        }
    }

    private func run<T: Sendable>(_ body: @escaping @Sendable (Simulation) async -> T) -> T {
        let result = Locked<T?>(nil)
        Task(executorPreference: self) {
            let value = await body(self)
            result.withLock { $0 = value }
        }
        while true {
            if let job = nextJob() {
                unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            } else if let value = result.withLock({ $0 }) {
                return value
            } else {
                wakeNext()
            }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.added.append(job) }
    }

    private func nextJob() -> UnownedJob? {
        state.withLock { state in
            if state.jobs.isEmpty {
                state.jobs = state.added.reversed()
                state.added.removeAll()
            }
            return state.jobs.popLast()
        }
    }

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }

    /// The time since the start of the simulation.
    var time: Duration { now.offset }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.count += 1
                let sleeper = Sleeper(deadline: deadline, number: state.count, continuation: continuation)
                state.sleepers.append(sleeper)
                var position = state.sleepers.count - 1
                while position > 0, state.sleepers[position] < state.sleepers[(position - 1) / 2] {
                    state.sleepers.swapAt(position, (position - 1) / 2)
                    position = (position - 1) / 2
                }
            }
        }
    }

    private func wakeNext() {
        let sleeper = state.withLock { state in
            precondition(!state.sleepers.isEmpty, "the simulation waits for something outside of it")
            state.sleepers.swapAt(0, state.sleepers.count - 1)
            let sleeper = state.sleepers.removeLast()
            var position = 0
            while let child = [2 * position + 1, 2 * position + 2].filter({ $0 < state.sleepers.count })
                .min(by: { state.sleepers[$0] < state.sleepers[$1] }), state.sleepers[child] < state.sleepers[position]
            {
                state.sleepers.swapAt(position, child)
                position = child
            }
            state.now = max(state.now, sleeper.deadline)
            return sleeper
        }
        sleeper.continuation.resume()
    }
}
