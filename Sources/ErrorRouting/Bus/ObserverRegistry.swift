import Synchronization

/// The streams of handled reports that are open.
final class ObserverRegistry: Sendable {
    private struct State {
        var streams: [UInt64: AsyncStream<ErrorReport>.Continuation] = [:]
        var lastID: UInt64 = 0
        var isFinished = false
    }

    private let state = Locked(State())
    /// How many streams are open, readable without the lock: nobody observes most buses.
    private let count = Atomic<Int>(0)

    func add(bufferingNewest limit: Int) -> AsyncStream<ErrorReport> {
        let (stream, continuation) = AsyncStream<ErrorReport>.makeStream(bufferingPolicy: .bufferingNewest(limit))
        let id = state.withLock { state -> UInt64? in
            guard !state.isFinished else { return nil }
            state.lastID += 1
            state.streams[state.lastID] = continuation
            count.store(state.streams.count, ordering: .releasing)
            return state.lastID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.remove(id) }
        return stream
    }

    /// Hands a report to every stream.
    ///
    /// Outside the lock, since a stream's end takes the lock too.
    func send(_ report: ErrorReport) {
        guard count.load(ordering: .acquiring) > 0 else { return }
        for stream in state.withLock({ Array($0.streams.values) }) { stream.yield(report) }
    }

    func finish() {
        let streams = state.withLock { state in
            defer { state.streams = [:] }
            state.isFinished = true
            count.store(0, ordering: .releasing)
            return Array(state.streams.values)
        }
        for stream in streams { stream.finish() }
    }

    private func remove(_ id: UInt64) {
        state.withLock { state in
            state.streams[id] = nil
            count.store(state.streams.count, ordering: .releasing)
        }
    }
}
