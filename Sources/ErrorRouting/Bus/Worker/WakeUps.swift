/// The wake-ups of a bus's worker.
///
/// One wake-up is buffered, which is enough because the worker delivers every report that it finds.
/// `Tests/Interleavings` compiles its own type, which waits without a task, instead of this file.
struct WakeUps: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Wakes the worker.
    ///
    /// This takes the stream's lock, which the stream releases before it resumes the worker. A post calls this if the
    /// worker sleeps, or if its error is the first one dropped since the last notice of drops.
    func signal() { continuation.yield() }

    /// Sleeps until the next wake-up; returns at once if there was one since the last sleep, or after the end.
    func wait() async { for await _ in stream { return } }

    /// Wakes the worker for good.
    func end() { continuation.finish() }
}
