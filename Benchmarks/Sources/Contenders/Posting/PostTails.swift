import ErrorRouting
import Foundation
import Synchronization

/// Measures how long single posts take while many threads post at the same time and can be interrupted at any point.
package struct PostTails: Sendable {
    /// The name of a line in a table.
    package let name: String
    private let prepare: @Sendable (_ posts: Int) -> Posting

    /// A closure that posts and a closure that ends the posting.
    private struct Posting: Sendable {
        let post: @Sendable (any Error) -> Void
        let end: @Sendable () async -> Void

        init(post: @escaping @Sendable (any Error) -> Void, end: @escaping @Sendable () async -> Void) {
            (self.post, self.end) = (post, end)
        }

        /// Runs a bus until the posting ends.
        init(to bus: ErrorBus, post: @escaping @Sendable (any Error) -> Void) {
            let loop = Task.detached { await bus.run() }
            self.post = post
            end = {
                bus.finish()
                await loop.value
            }
        }
    }

    /// The threads' measurements.
    private final class Samples: Sendable {
        private let samples = Mutex<[Int64]>([])
        private let left: Atomic<Int>

        init(of threads: Int) { left = Atomic(threads) }

        var all: [Int64] { samples.withLock { $0 } }

        /// Adds a thread's measurements and returns whether it was the last thread.
        func add(_ own: [Int64]) -> Bool {
            samples.withLock { $0 += own }
            return left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0
        }
    }

    /// The numbers of threads.
    package static let series = [2, 8, 64]

    package static let all = [
        PostTails("ErrorBus") { posts in
            let bus = ErrorBus(handler: Handlers.plainTypes(), configuration: .init(capacity: posts))
            return Posting(to: bus) { bus.post($0) }
        },
        PostTails("postError on a thread, to the root") { posts in
            let bus = ErrorBus(handler: Handlers.plainTypes(), configuration: .init(capacity: posts))
            bus.becomeRoot()
            return Posting(to: bus) { postError($0) }
        },
        PostTails("ErrorBus, full: each post is dropped and counted") { _ in
            let bus = ErrorBus(handler: Handlers.plainTypes(), configuration: .init(capacity: 1))
            bus.post(E1())
            return Posting {
                bus.post($0)
            } end: {
                _ = await bus.shutdown(within: .zero)
            }
        },
        PostTails("queue behind a mutex") { _ in
            let queue = QueueTransport()
            let loop = Task.detached { await queue.run() }
            return Posting {
                queue.post($0)
            } end: {
                queue.finish()
                _ = await loop.value
            }
        },
    ]

    private init(_ name: String, prepare: @escaping @Sendable (_ posts: Int) -> Posting) {
        (self.name, self.prepare) = (name, prepare)
    }

    /// Measures once, with a number of threads that post at the same time.
    ///
    /// - Returns: The nanoseconds that each post took, including the time for reading the clock.
    @concurrent
    package func sample(threads: Int, posts: Int = 64_000) async -> [Int64] {
        let posting = prepare(posts)
        let (samples, share) = (Samples(of: threads), posts / threads)
        await withCheckedContinuation { continuation in
            for _ in 0..<threads {
                Thread.detachNewThread {
                    var own: [Int64] = []
                    own.reserveCapacity(share)
                    let clock = ContinuousClock()
                    for number in 0..<share {
                        let error = makeError(number)
                        let start = clock.now
                        posting.post(error)
                        own.append(Int64((clock.now - start) / .nanoseconds(1)))
                    }
                    if samples.add(own) { continuation.resume() }
                }
            }
        }
        await posting.end()
        return samples.all
    }
}
