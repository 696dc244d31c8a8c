import ErrorRouting
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import ErrorRoutingHummingbird

@Suite("The body of another service's response has a limit on its pauses", .timeLimit(.minutes(2)))
struct UpstreamBodyTests {
    @Test func `a limit on pauses limits neither the whole body nor its reader`() async throws {
        let loop = NIOAsyncTestingEventLoop()
        let (parts, continuation) = AsyncStream<Int>.makeStream()
        var iterator = UpstreamBody(body: parts, limit: .seconds(10), source: .init(), loop: loop).makeAsyncIterator()
        for part in 0..<5 {
            // The reader takes longer than the limit each time, and so does the whole body.
            await loop.advanceTime(by: .seconds(11))
            continuation.yield(part)
            #expect(try await iterator.next() == part)
        }
        let hasEnded = Mutex(false)
        async let ticking: Void = {
            while !hasEnded.withLock({ $0 }) {
                await loop.advanceTime(by: .seconds(1))
                await Task.yield()
            }
        }()
        let error = await #expect(throws: UpstreamError.self) { try await iterator.next() }
        hasEnded.withLock { $0 = true }
        await ticking
        #expect(error?.underlyingErrors.map { "\($0)" } == ["nothing came for 10.0 seconds"])
        withExtendedLifetime(continuation) {}
    }

    @Test func `a limit that no clock can express counts as the longest or the shortest one`() async throws {
        for limit in [.seconds(Int64.max), Duration(attoseconds: .max)] {
            let parts = AsyncStream<Int> { $0.yield(1) }
            var iterator = upstream(parts, idleTimeout: limit).makeAsyncIterator()
            #expect(try await iterator.next() == 1)
        }
        for limit in [.seconds(Int64.min), Duration(attoseconds: .min)] {
            let never = AsyncStream<Int>.makeStream()
            var overdue = upstream(never.stream, idleTimeout: limit).makeAsyncIterator()
            await #expect(throws: UpstreamError.self) { try await overdue.next() }
            withExtendedLifetime(never) {}
        }
    }

    @Test func `a part that arrives as its wait is cancelled does not make a truncated body look complete`() async {
        /// Ends after one more part when it is cancelled, like a stream that has already buffered a part.
        struct Late: AsyncSequence, AsyncIteratorProtocol {
            var isOver = false

            func makeAsyncIterator() -> Late { self }

            mutating func next() async throws -> Int? {
                if isOver { return nil }
                try? await Task.sleep(for: .seconds(600))
                isOver = true
                return 1
            }
        }
        var iterator = upstream(Late(), idleTimeout: .milliseconds(1)).makeAsyncIterator()
        await #expect(throws: UpstreamError.self) { try await iterator.next() }
    }
}
