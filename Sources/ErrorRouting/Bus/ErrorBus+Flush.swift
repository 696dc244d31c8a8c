extension ErrorBus {
    /// Waits until what was posted before is delivered, its observers have received it, and finishes nothing.
    ///
    /// For a platform that is about to freeze or end the process, and for tests. What a ``FloodLimit`` holds is let go
    /// and delivered too, although its window has not ended; the window goes on. What is posted meanwhile is not waited
    /// for. Where the caller is cancelled it returns at once, and so it does inside one of the bus's own actions, which
    /// it would wait for.
    ///
    /// ```swift
    /// guard await bus.flush(within: .seconds(2)) else { … }
    /// ```
    ///
    /// - Parameter limit: How long to wait at most, by the configuration's clock.
    /// - Returns: Whether all that was posted before is delivered; false too if some of it was given back by a
    ///   ``shutdown(within:)`` meanwhile. For a bus that has ended, which holds nothing, true.
    public func flush(within limit: Duration) async -> Bool {
        if isInsideOwnAction { return false }
        let promise = Promise<Bool>()
        switch storage.flush(limit > .zero ? promise : nil) {
        case .idle: return true
        case .busy: return false
        case .waits(let wakes): if wakes { waker.yield() }
        }
        let deadline = clock.deadline(after: limit)
        // Without the bindings that tasks inherit: the clock need not honour cancellation.
        let alarm = Self.unbound {
            Task { [clock] in
                try? await clock.sleep(deadline)
                promise.fulfill(false)
            }
        }
        let isFlushed = await withTaskCancellationHandler {
            await promise.value
        } onCancel: {
            promise.fulfill(false)
        }
        alarm.cancel()
        if !isFlushed { storage.forgetFlush(promise) }
        return isFlushed
    }
}
