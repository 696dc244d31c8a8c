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

/// What the library keeps for each thread, in one word: the number of a slot, so that threads can keep to memory of their
/// own, and how deep the thread is in code of the user's that the library has called.
enum PerThread {
    /// How many slots there are: a power of two, at least the number of cores, so that the threads which run at the
    /// same time mostly have different ones.
    static let count: Int = {
        var count = 4
        while count < ProcessInfo.processInfo.activeProcessorCount, count < 256 { count *= 2 }
        return count
    }()

    private static let lastThread = Atomic<UInt>(0)
    /// The system's key plus one, or 0; an atomic, since what is made at its first use is looked up at each.
    private static let key = Atomic<UInt>(0)
    private static let noKey = UInt.max

    private static let depthMask: UInt = 0xFF
    private static let oneSlot: UInt = 0x100
    /// Set in every thread's word, since 0 is what a thread without one has.
    private static let mark: UInt = 1 << 31

    /// The calling thread's slot, below ``count``.
    ///
    /// Threads are given slots in the order in which they first ask. Where the system has no more keys all threads
    /// share one, which is slower and no less right.
    static var slot: Int { Int(bitPattern: (word & ~mark) / oneSlot) }

    /// Code of the user's is about to be called, which may have the library call such code again.
    ///
    /// A predicate or an `==` that dispatches the very error it is asked about would else have the library call itself
    /// until the stack is used up. (Where the system has no more keys nothing is bounded.) No closure, so that callers
    /// that are generic need not look up the type of what it would return.
    ///
    /// - Parameter limit: How many calls may be in each other; at most 255.
    /// - Returns: What is to be handed to ``leave(_:)`` afterwards; nil if it must not be called.
    @inline(__always)
    static func enter(upTo limit: UInt) -> Entry? {
        let word = word
        guard word & depthMask < limit else { return nil }
        set(word + 1)
        return Entry(word: word)
    }

    /// The call that was entered has returned.
    @inline(__always)
    static func leave(_ entry: Entry) { set(entry.word) }

    /// A call that was entered.
    struct Entry {
        fileprivate let word: UInt
    }

    @inline(__always)
    private static var word: UInt {
        let key = key.load(ordering: .acquiring)
        if key != 0, key != noKey, let found = unsafe pthread_getspecific(pthread_key_t(key - 1)) {
            return UInt(bitPattern: found)
        }
        return makeWord()
    }

    @inline(__always)
    private static func set(_ word: UInt) {
        let key = key.load(ordering: .relaxed)
        guard key != noKey else { return }
        unsafe pthread_setspecific(pthread_key_t(key - 1), UnsafeRawPointer(bitPattern: word))
    }

    @inline(never)
    private static func makeWord() -> UInt {
        if key.load(ordering: .acquiring) == 0 { makeKey() }
        if key.load(ordering: .acquiring) == noKey { return mark }
        let number = lastThread.wrappingAdd(1, ordering: .relaxed).newValue
        let word = mark | number % UInt(bitPattern: count) * oneSlot
        set(word)
        return word
    }

    private static func makeKey() {
        var made = pthread_key_t()
        let isMade = unsafe pthread_key_create(&made, nil) == 0
        let (isFirst, _) = key.compareExchange(
            expected: 0,
            desired: isMade ? UInt(made) + 1 : noKey,
            ordering: .acquiringAndReleasing
        )
        if isMade, !isFirst { pthread_key_delete(made) }
    }
}
