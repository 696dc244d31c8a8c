import Synchronization

/// A value behind a mutex, with an ordering that the thread sanitizer can see.
///
/// `Mutex` is part of a library that isn't instrumented, and on Linux it locks with a futex. Without further help, the
/// sanitizer would see no order between one holder and the next, and would report every access as a race. Therefore
/// each holder also reads and writes an atomic, which the compiler instruments: everything that a holder does before
/// its release happens before everything that the next holder does after its acquire. Both operations are plain moves
/// on x86-64, and the sanitizer still finds real races.
///
/// `@unchecked` because the compiler can't verify that `value` is accessed only under the lock.
package final class Locked<Value: ~Copyable>: @unchecked Sendable {
    private let mutex = Mutex(())
    private let order = Atomic<Bool>(false)
    // Skip the run-time exclusivity checks: the lock already makes each access exclusive.
    @exclusivity(unchecked) private var value: Value

    package init(_ value: consuming sending Value) {
        unsafe self.value = value
    }

    /// Calls a closure with the value while holding the lock.
    ///
    /// The closure must not call user code: make decisions under the lock and act on them afterward.
    @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try mutex.withLock { _ throws(Failure) -> Result in
            _ = order.load(ordering: .acquiring)
            defer { order.store(false, ordering: .releasing) }
            return try unsafe body(&value)
        }
    }

    /// Calls a closure like ``withLock(_:)``, or returns nil if a thread, possibly the calling thread, holds the lock.
    package func withLockIfAvailable<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        try mutex.withLockIfAvailable { _ throws(Failure) -> Result in
            _ = order.load(ordering: .acquiring)
            defer { order.store(false, ordering: .releasing) }
            return try unsafe body(&value)
        }
    }
}
