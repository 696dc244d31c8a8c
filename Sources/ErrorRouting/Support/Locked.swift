import Synchronization

/// A value behind a mutex whose ordering the thread sanitizer can see.
///
/// `Mutex` is part of a library that is not instrumented, and on Linux it locks by futex, so the sanitizer sees no
/// order between one holder and the next and reports every access as a race. Each holder here also reads and writes an
/// atomic, which the compiler instruments: what one holder did before its release happens before what the next does
/// after its acquire. Both are plain moves on x86-64, and real races are still found.
///
/// `@unchecked`, since the compiler cannot know that `value` is accessed only under the lock.
package final class Locked<Value: ~Copyable>: @unchecked Sendable {
    private let mutex = Mutex(())
    private let order = Atomic<Bool>(false)
    // The lock already makes each access exclusive.
    @exclusivity(unchecked) private var value: Value

    package init(_ value: consuming sending Value) {
        unsafe self.value = value
    }

    /// Calls a closure with the value while holding the lock.
    ///
    /// The closure must not call code of the user's: decide here, act afterwards.
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

    /// Calls a closure as ``withLock(_:)`` does, unless a thread, perhaps this one, holds the lock.
    ///
    /// - Returns: What the closure returns; nil if it was not called.
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
