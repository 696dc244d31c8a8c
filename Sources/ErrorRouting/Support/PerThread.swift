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

/// What the library keeps for each thread, in one word: a small number, so that threads can keep to memory of their own,
/// and how deep the thread is in code of the user's that the library has called.
enum PerThread {
    /// How many slots there are: a power of two, at least the number of cores, so that the threads which run at the
    /// same time mostly have different ones.
    static let count: Int = {
        var count = 4
        while count < ProcessInfo.processInfo.activeProcessorCount, count < 256 { count *= 2 }
        return count
    }()

    private static let lastThread = Atomic<UInt>(0)
    private static let depthMask: UInt = 0xFF
    private static let oneThread: UInt = 0x100

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
        return Int(bitPattern: word(key) / oneThread & UInt(bitPattern: count - 1))
    }

    /// Calls a closure that runs code of the user's, unless the thread is in as many such calls already.
    ///
    /// A predicate or an `==` that dispatches the very error it is asked about would else have the library call itself
    /// until the stack is used up. (Where the system has no more keys nothing is bounded.)
    ///
    /// - Parameter limit: How many calls may be in each other; at most 255.
    /// - Returns: What the closure returned; nil if it was not called.
    @inline(__always)
    static func nesting<Result>(upTo limit: UInt, _ body: () -> Result?) -> Result? {
        guard let key else { return body() }
        let word = word(key)
        guard word & depthMask < limit else { return nil }
        set(word + 1, key)
        defer { set(word, key) }
        return body()
    }

    private static func word(_ key: pthread_key_t) -> UInt {
        let found = unsafe UInt(bitPattern: pthread_getspecific(key))
        if found != 0 { return found }
        let word = lastThread.wrappingAdd(oneThread, ordering: .relaxed).newValue
        set(word, key)
        return word
    }

    private static func set(_ word: UInt, _ key: pthread_key_t) {
        unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: word))
    }
}
