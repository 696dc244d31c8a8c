import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// A small number for each thread, so that threads can keep to memory of their own.
enum ThreadSlot {
    /// How many slots there are: a power of two, at least the number of cores, so that the threads which run at the
    /// same time mostly have different ones.
    static let count: Int = {
        var count = 4
        while count < ProcessInfo.processInfo.activeProcessorCount, count < 256 { count *= 2 }
        return count
    }()

    private static let lastThread = Atomic<UInt>(0)

    /// Nil where the system has no more keys; then all threads share a slot, which is slower and no less right.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return unsafe pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    /// The calling thread's slot, below ``count``.
    ///
    /// Threads are numbered in the order in which they first ask.
    static var current: Int {
        guard let key else { return 0 }
        var number = unsafe UInt(bitPattern: pthread_getspecific(key))
        if number == 0 {
            number = lastThread.wrappingAdd(1, ordering: .relaxed).newValue
            unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: number))
        }
        return Int(bitPattern: number & UInt(bitPattern: count - 1))
    }
}
