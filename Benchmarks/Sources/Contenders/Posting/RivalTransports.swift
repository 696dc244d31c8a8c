import AsyncAlgorithms
import Synchronization

/// A typical hand-written queue, which is an array behind a mutex and a loop that a stream wakes.
///
/// A post wakes the loop only if the array was empty, and only after unlocking.
final class QueueTransport: SynchronousTransport {
    private let queue = Mutex<[any Error]>([])
    private let wakeUps: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation
    private let handle: @Sendable (any Error) -> Void

    init(handle: @escaping @Sendable (any Error) -> Void = { _ = handleBySwitch10($0) }) {
        self.handle = handle
        (wakeUps, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func post(_ count: Int) async {
        for number in 0..<count { post(makeError(number)) }
    }

    func post(_ error: any Error) {
        let wasEmpty = queue.withLock { queue in
            queue.append(error)
            return queue.count == 1
        }
        if wasEmpty { waker.yield() }
    }

    func run() async -> Int {
        var handled = 0
        for await _ in wakeUps { handled += handleAll() }
        return handled + handleAll()
    }

    private func handleAll() -> Int {
        let errors = queue.withLock { queue in
            let errors = queue
            queue = []
            return errors
        }
        for error in errors { handle(error) }
        return errors.count
    }

    func finish() { waker.finish() }
}

/// An unbounded `AsyncStream` and one loop over it.
final class StreamTransport: SynchronousTransport {
    private let stream: AsyncStream<any Error>
    private let continuation: AsyncStream<any Error>.Continuation
    private let handle: @Sendable (any Error) -> Void

    init(handle: @escaping @Sendable (any Error) -> Void = { _ = handleBySwitch10($0) }) {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
        self.handle = handle
    }

    func post(_ count: Int) async {
        for number in 0..<count { continuation.yield(makeError(number)) }
    }

    func post(_ error: any Error) { continuation.yield(error) }

    func run() async -> Int {
        var handled = 0
        for await error in stream {
            handle(error)
            handled += 1
        }
        return handled
    }

    func finish() { continuation.finish() }
}

/// An `AsyncChannel`, which makes senders wait until their error is received, and one loop over the channel.
final class ChannelTransport: ErrorTransport {
    private let channel = AsyncChannel<any Error>()

    func post(_ count: Int) async {
        for number in 0..<count { await channel.send(makeError(number)) }
    }

    func run() async -> Int {
        var handled = 0
        for await error in channel {
            handleBySwitch8(error)
            handled += 1
        }
        return handled
    }

    func finish() { channel.finish() }
}
