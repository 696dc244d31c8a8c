import Foundation

/// A line buffer behind a lock.
///
/// The lock is an `NSLock` because the thread sanitizer can't see the ordering of a `Mutex`. `Locked`, in another
/// module, makes a mutex's ordering visible with an atomic. `Locked` is faster, but this buffer doesn't need the speed.
///
/// `@unchecked` because the compiler can't verify that `buffer` is accessed only under the lock.
final class LockedLineBuffer: @unchecked Sendable {
    private let lock = NSLock()
    private var buffer = LineBuffer()

    /// Calls a closure with the buffer while holding the lock.
    func withLock<Result>(_ body: (inout LineBuffer) -> Result) -> Result { lock.withLock { body(&buffer) } }

    /// Calls a closure like ``withLock(_:)``, or returns nil if a thread, possibly the calling thread, holds the lock.
    func withLockIfAvailable<Result>(_ body: (inout LineBuffer) -> Result) -> Result? {
        guard lock.try() else { return nil }
        defer { lock.unlock() }
        return body(&buffer)
    }
}
