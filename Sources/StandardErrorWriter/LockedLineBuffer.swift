import Synchronization

/// A line buffer behind a mutex whose ordering the thread sanitizer can see.
///
/// The mutex is part of a library without instrumentation, so the sanitizer sees no order between one holder and the
/// next. Each holder also reads and writes an atomic, which is instrumented. The buffer is outside the mutex, so that
/// it is accessed only between these two operations.
///
/// It is `@unchecked` because the compiler can't verify that `buffer` is accessed only under the lock.
final class LockedLineBuffer: @unchecked Sendable {
    private let mutex = Mutex(())
    private let order = Atomic<Bool>(false)
    // The lock already makes every access exclusive.
    @exclusivity(unchecked) private var buffer = LineBuffer()

    /// Calls a closure with the buffer while holding the lock.
    func withLock<Result: Sendable>(_ body: (inout LineBuffer) -> Result) -> Result {
        mutex.withLock { _ in ordered(body) }
    }

    /// Calls a closure like ``withLock(_:)``, unless a thread, perhaps this one, holds the lock.
    ///
    /// - Returns: The closure's result; nil if it wasn't called.
    func withLockIfAvailable<Result: Sendable>(_ body: (inout LineBuffer) -> Result) -> Result? {
        mutex.withLockIfAvailable { _ in ordered(body) }
    }

    private func ordered<Result>(_ body: (inout LineBuffer) -> Result) -> Result {
        _ = order.load(ordering: .acquiring)
        defer { order.store(false, ordering: .releasing) }
        return unsafe body(&buffer)
    }
}
