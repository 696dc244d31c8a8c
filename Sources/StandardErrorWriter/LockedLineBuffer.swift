import Synchronization

/// A line buffer behind a mutex.
///
/// The mutex is part of a library that is not instrumented, so the thread sanitizer sees no order between one holder
/// and the next. Each holder also reads and writes an atomic, which is instrumented.
struct LockedLineBuffer: ~Copyable {
    private let mutex = Mutex(LineBuffer())
    private let order = Atomic<Bool>(false)

    /// Calls a closure with the buffer while holding the lock.
    func withLock<Result: Sendable>(_ body: (inout LineBuffer) -> Result) -> Result {
        mutex.withLock { inOrder(&$0, body) }
    }

    /// Calls a closure as ``withLock(_:)`` does, unless a thread, perhaps this one, holds the lock.
    ///
    /// - Returns: What the closure returns; nil if it was not called.
    func withLockIfAvailable<Result: Sendable>(_ body: (inout LineBuffer) -> Result) -> Result? {
        mutex.withLockIfAvailable { inOrder(&$0, body) }
    }

    private func inOrder<Result>(_ buffer: inout LineBuffer, _ body: (inout LineBuffer) -> Result) -> Result {
        _ = order.load(ordering: .acquiring)
        defer { order.store(false, ordering: .releasing) }
        return body(&buffer)
    }
}
