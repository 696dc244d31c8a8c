/// `AsyncStream` without a bound, and one loop over it.
final class StreamTransport: SynchronousTransport {
    private let stream: AsyncStream<any Error>
    private let continuation: AsyncStream<any Error>.Continuation
    private let handle: @Sendable (any Error) -> Void

    /// - Parameter handle: What is done with each error.
    init(handle: @escaping @Sendable (any Error) -> Void = handleBySwitch8) {
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
