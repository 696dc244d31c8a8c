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

/// What the library keeps for each thread, in one word: the number of a slot, so that threads can keep to memory of
/// their own, and how deep the thread is in code of the user's that the library has called.
///
/// That code is synchronous. A task-local would say the same, but whatever tasks that code starts would inherit it.
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

    /// A thread's word, which fits 32 bits.
    private struct Word {
        static let oneMatcher: UInt = 1
        static let matchers: UInt = 0x1F
        static let oneText: UInt = 1 << 5
        static let texts: UInt = 0x7 << 5
        static let oneWithin: UInt = 1 << 8
        static let within: UInt = 0x7FF << 8
        static let oneSlot: UInt = 1 << 19
        static let slots: UInt = 0xFF << 19
        /// Set in every thread's word, since 0 is what a thread without one has.
        static let mark: UInt = 1 << 27

        var bits = mark
    }

    /// The calling thread's slot, below ``count``.
    ///
    /// Threads are given slots in the order in which they first ask. Where the system has no more keys all threads
    /// share one, which is slower and no less right; and what is said below is not bounded.
    static var slot: Int { Int(bitPattern: (word.bits & Word.slots) / Word.oneSlot) }

    // MARK: Matchers

    /// How many matchers may be asked within one another.
    static let matcherLimit: UInt = 16
    /// From this depth on it is counted how many are asked in all: one that asks for several each time would else ask
    /// for a great many.
    private static let countedDepth: UInt = 3
    /// How many of those that are counted there may be, matchers and texts, within the outermost.
    static let countLimit: UInt = 1_024

    /// What a thread was in the middle of before a call.
    struct Entry {
        fileprivate let bits: UInt
    }

    /// A matcher is about to run code of the user's, or an error is about to be bridged.
    ///
    /// A predicate or an `==` that dispatches the very error it is asked about would have the library call itself until
    /// the stack is used up. (No closure, so that callers that are generic need not look up the type of its result.)
    ///
    /// - Returns: What is to be handed to ``leaveMatcher(_:)`` afterwards; nil if it must not be asked, and so does not
    ///   match.
    @inline(__always)
    static func enterMatcher() -> Entry? {
        let bits = word.bits
        if bits & Word.matchers >= countedDepth * Word.oneMatcher { return enterDeep(bits) }
        set(bits + Word.oneMatcher)
        return Entry(bits: bits)
    }

    @inline(never)
    private static func enterDeep(_ bits: UInt) -> Entry? {
        guard bits & Word.matchers < matcherLimit * Word.oneMatcher, bits & Word.within < countLimit * Word.oneWithin
        else { return nil }
        set(bits + Word.oneMatcher + Word.oneWithin)
        return Entry(bits: bits)
    }

    /// Whether the thread is in the middle of asking a matcher, or an error for its code.
    static var isInMatcher: Bool { word.bits & Word.matchers != 0 }

    /// The matcher that was entered has answered.
    @inline(__always)
    static func leaveMatcher(_ entry: Entry) {
        // Within others, those that were counted stay so.
        set(entry.bits & (Word.texts | Word.matchers) == 0 ? entry.bits : word.bits - Word.oneMatcher)
    }

    // MARK: Texts

    /// Whether the thread is in the middle of a text.
    static var isInText: Bool { word.bits & Word.texts != 0 }

    /// Whether a text may be asked for: fewer than `depth` are within one another, and not too many within one.
    static func mayEnterText(depth: Int) -> Bool {
        let bits = word.bits
        return bits & Word.texts < UInt(depth) * Word.oneText && bits & Word.within < countLimit * Word.oneWithin
    }

    /// Calls a closure that asks the user's code for a text, which may ask the library for one.
    ///
    /// - Parameters:
    ///   - isCounted: Whether it counts as one of those within one another; if not, each that follows begins anew.
    ///   - body: What asks.
    static func inText<Result>(isCounted: Bool, _ body: () -> Result) -> Result {
        let before = word.bits
        set(before + Word.oneText + (isCounted ? Word.oneWithin : 0))
        defer {
            // Those within the outermost one that counts are counted until that ends.
            set(before & Word.within == 0 ? before : before & ~Word.within | word.bits & Word.within)
        }
        return body()
    }

    // MARK: The word

    @inline(__always)
    private static var word: Word {
        let key = key.load(ordering: .acquiring)
        if key != 0, key != noKey, let found = unsafe pthread_getspecific(pthread_key_t(key - 1)) {
            return Word(bits: UInt(bitPattern: found))
        }
        return makeWord()
    }

    @inline(__always)
    private static func set(_ bits: UInt) {
        let key = key.load(ordering: .relaxed)
        guard key != noKey else { return }
        unsafe pthread_setspecific(pthread_key_t(key - 1), UnsafeRawPointer(bitPattern: bits))
    }

    @inline(never)
    private static func makeWord() -> Word {
        if key.load(ordering: .acquiring) == 0 { makeKey() }
        if key.load(ordering: .acquiring) == noKey { return Word() }
        let number = lastThread.wrappingAdd(1, ordering: .relaxed).newValue
        let word = Word(bits: Word.mark | number % UInt(bitPattern: count) * Word.oneSlot)
        set(word.bits)
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
