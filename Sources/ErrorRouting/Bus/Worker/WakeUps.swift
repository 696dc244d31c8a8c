/// The wake-ups of a bus's worker.
///
/// One wake-up is buffered, which suffices because the worker delivers every report that it finds. Instead of this
/// file, `Tests/Interleavings` compiles its own type, which waits without a task.
struct WakeUps: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Wakes the worker.
    ///
    /// This takes the stream's lock, which the stream releases before it resumes the worker. A post calls this method
    /// if the worker is sleeping, or if its error is the first dropped error since the last notice of drops.
    func signal() { continuation.yield() }

    /// Sleeps until the next wake-up; returns immediately if there was one since the last sleep, or after the end.
    func wait() async { for await _ in stream { return } }

    /// Ends the stream, so that the worker never sleeps again.
    func end() { continuation.finish() }
}
