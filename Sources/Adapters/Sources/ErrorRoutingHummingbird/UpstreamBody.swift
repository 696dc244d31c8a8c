import ErrorRouting
import ErrorRoutingAsyncHTTPClient
@_exported public import ErrorRoutingUpstream
import NIOCore
import NIOPosix
import Synchronization

/// Returns the body of another service's response with a time limit for each pause in it.
///
/// The body can have any length, and can take as long as a slow client needs to read it. The limit applies to the time
/// between the request for the next part and its arrival.
///
/// - Parameters:
///   - body: The response's body. Its iterator must end when its task is cancelled, as async-http-client's does.
///   - limit: How long the next part may take.
///   - fileID: The file in the source of a failure's report.
///   - line: The line in the source of a failure's report.
/// - Returns: The body, which throws ``UpstreamError``.
public func upstream<Body: AsyncSequence & Sendable>(
    _ body: Body,
    idleTimeout limit: Duration,
    fileID: String = #fileID,
    line: UInt = #line
) -> UpstreamBody<Body> where Body.Element: Sendable {
    let loop = MultiThreadedEventLoopGroup.singleton.any()
    // Keep the limit between zero and a year: SwiftNIO traps if the seconds don't fit into 64 bits, and it treats a
    // negative limit that it can't represent as the longest limit.
    let limit = min(max(.zero, limit), .seconds(365 * 86_400))
    return UpstreamBody(body: body, limit: limit, source: .init(fileID: fileID, line: line), loop: loop)
}

/// The body of another service's response, as returned by ``upstream(_:idleTimeout:fileID:line:)``.
public struct UpstreamBody<Body: AsyncSequence & Sendable>: AsyncSequence, Sendable where Body.Element: Sendable {
    /// Iterates over the parts, each within the time limit.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let parts: Parts
        private let watch: PauseWatch
        private let source: ErrorReport.Source

        fileprivate init(_ parts: Parts, _ watch: PauseWatch, _ source: ErrorReport.Source) {
            (self.parts, self.watch, self.source) = (parts, watch, source)
        }

        /// Waits for the next part, up to the time limit.
        ///
        /// - Returns: The part; nil at the end of the body.
        /// - Throws: ``UpstreamError``, or the body's error if the request was cancelled.
        public mutating func next() async throws -> Body.Element? {
            let parts = parts
            let task = Task { try await parts.next() }
            watch.begin(task)
            do {
                let part = try await withTaskCancellationHandler {
                    try await task.value
                } onCancel: {
                    task.cancel()
                }
                // Check for cancellation: if its wait is cancelled, a body ends as if it were complete, perhaps after
                // one more part.
                if !watch.end(isLast: part == nil) { throw CancellationError() }
                if part == nil { try Task.checkCancellation() }
                return part
            } catch {
                if !watch.end(isLast: true) { throw UpstreamError.timeout(UpstreamPaused(limit: watch.limit), source) }
                // Rethrow the client's error, which occurs if this body reads the request's body.
                if error is ClientDisconnected { throw error }
                throw UpstreamError.error(for: error, at: source, else: UpstreamError.body)
            }
        }
    }

    let body: Body
    let limit: Duration
    let source: ErrorReport.Source
    /// The event loop whose clock measures the limit.
    let loop: any EventLoop

    /// Creates an iterator over the body's parts.
    ///
    /// - Returns: The iterator.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(Parts(body), PauseWatch(limit: limit, loop), source)
    }

    /// The body's iterator.
    ///
    /// Only one task at a time uses it, because a part's task has ended before the next part is requested.
    fileprivate final class Parts: @unchecked Sendable {
        private var iterator: Body.AsyncIterator

        init(_ body: Body) { iterator = body.makeAsyncIterator() }

        func next() async throws -> Body.Element? { try await iterator.next() }
    }
}

/// The cause of a timeout between two parts of a body.
private struct UpstreamPaused: Error, CustomStringConvertible {
    let limit: Duration

    var description: String { "nothing came for \(limit)" }
}

/// Cancels the wait for a part that takes too long.
///
/// One timer per body checks at intervals how long the current wait has taken. A sleeping task for each part would stay
/// in memory until its deadline, even if it is cancelled.
private final class PauseWatch: Sendable {
    private struct State {
        /// The start of the current wait, and a closure that cancels it; nil between two waits.
        var wait: (since: NIODeadline, cancel: @Sendable () -> Void)?
        var timer: Scheduled<Void>?
        var hasPaused = false
    }

    let limit: Duration
    private let state = Mutex(State())
    private let loop: any EventLoop

    init(limit: Duration, _ loop: any EventLoop) {
        self.limit = limit
        self.loop = loop
    }

    deinit { state.withLock { $0.timer }?.cancel() }

    func begin(_ task: Task<some Sendable, any Error>) {
        state.withLock { state in
            state.wait = (loop.now, { task.cancel() })
            if state.timer == nil { state.timer = timer(at: loop.now + TimeAmount(limit)) }
        }
    }

    /// Returns whether this wait and all earlier waits were within the limit.
    func end(isLast: Bool) -> Bool {
        state.withLock { state in
            state.wait = nil
            if isLast { state.timer.take()?.cancel() }
            return !state.hasPaused
        }
    }

    private func timer(at deadline: NIODeadline) -> Scheduled<Void> {
        loop.scheduleTask(deadline: deadline) { [weak self] in self?.inspect() }
    }

    private func inspect() {
        let cancel = state.withLock { state -> (@Sendable () -> Void)? in
            let now = loop.now
            let deadline = (state.wait?.since ?? now) + TimeAmount(limit)
            if deadline > now {
                state.timer = timer(at: deadline)
                return nil
            }
            state.hasPaused = true
            return state.wait?.cancel
        }
        cancel?()
    }
}
