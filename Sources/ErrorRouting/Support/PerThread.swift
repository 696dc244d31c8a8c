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

/// What the library keeps for each thread: the number of a slot, so that threads can keep to memory of their own, and
/// how deep the thread is in code of the user's that the library has called.
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

    private static let lastThread = Atomic<Int>(0)
    /// The system's key plus one, or 0; an atomic, since what is made at its first use is looked up at each.
    private static let key = Atomic<UInt>(0)
    private static let noKey = UInt.max

    /// A thread's own, which nobody else sees; freed when the thread ends.
    private struct Record {
        let slot: Int
        /// How many matchers the thread is in the middle of.
        var matchers = 0
        /// How many texts.
        var texts = 0
        /// How many of both were asked for within the outermost.
        var within = 0
    }

    private typealias Address = UnsafeMutablePointer<Record>

    /// The calling thread's slot, below ``count``.
    ///
    /// Threads are given slots in the order in which they first ask. Where the system has no more keys all threads
    /// share one, which is slower and no less right; and what is said below is not bounded.
    static var slot: Int { unsafe record?.pointee.slot ?? 0 }

    // MARK: Matchers

    /// How many matchers may be asked within one another.
    static let matcherLimit = 16
    /// From this depth on it is counted how many are asked in all: one that asks for several each time would else ask
    /// for a great many.
    private static let countedDepth = 3
    /// How many of those that are counted there may be, matchers and texts, within the outermost.
    static let countLimit = 1_024

    /// A matcher that was entered.
    @safe struct Entry {
        fileprivate let record: UnsafeMutableRawPointer?
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
        guard let record = unsafe record else { return unsafe Entry(record: nil) }
        if unsafe record.pointee.matchers >= countedDepth {
            guard unsafe record.pointee.matchers < matcherLimit, unsafe record.pointee.within < countLimit else {
                return nil
            }
            unsafe record.pointee.within += 1
        }
        unsafe record.pointee.matchers += 1
        return unsafe Entry(record: record)
    }

    /// Whether the thread is in the middle of asking a matcher, or an error for its code.
    static var isInMatcher: Bool { unsafe record.map { unsafe $0.pointee.matchers > 0 } ?? false }

    /// The matcher that was entered has returned.
    @inline(__always)
    static func leaveMatcher(_ entry: Entry) {
        guard let record = unsafe entry.record?.assumingMemoryBound(to: Record.self) else { return }
        unsafe record.pointee.matchers -= 1
        // Within others, those that were counted stay so.
        if unsafe record.pointee.matchers == 0, unsafe record.pointee.texts == 0 { unsafe record.pointee.within = 0 }
    }

    // MARK: Texts

    /// Whether the thread is in the middle of a text.
    static var isInText: Bool { unsafe record.map { unsafe $0.pointee.texts > 0 } ?? false }

    /// Whether a text may be asked for: fewer than `depth` are within one another, and not too many within one.
    static func mayEnterText(depth: Int) -> Bool {
        unsafe record.map { unsafe $0.pointee.texts < depth && $0.pointee.within < countLimit } ?? true
    }

    /// Calls a closure that asks the user's code for a text, which may ask the library for one.
    ///
    /// - Parameters:
    ///   - isCounted: Whether it counts as one of those within one another; if not, each that follows begins anew.
    ///   - body: What asks.
    static func inText<Result>(isCounted: Bool, _ body: () -> Result) -> Result {
        guard let record = unsafe record else { return body() }
        let before = unsafe record.pointee.within
        unsafe record.pointee.texts += 1
        if isCounted { unsafe record.pointee.within += 1 }
        defer {
            unsafe record.pointee.texts -= 1
            // Those within the outermost one that counts are counted until that ends.
            if before == 0 { unsafe record.pointee.within = 0 }
        }
        return body()
    }

    // MARK: The record

    /// The calling thread's; nil where the system has no more keys.
    @inline(__always)
    private static var record: Address? {
        let key = key.load(ordering: .acquiring)
        if key != 0, key != noKey, let found = unsafe pthread_getspecific(pthread_key_t(key - 1)) {
            return unsafe found.assumingMemoryBound(to: Record.self)
        }
        return unsafe makeRecord()
    }

    @inline(never)
    private static func makeRecord() -> Address? {
        if key.load(ordering: .acquiring) == 0 { makeKey() }
        let key = key.load(ordering: .acquiring)
        if key == noKey { return nil }
        let record = Address.allocate(capacity: 1)
        let number = lastThread.wrappingAdd(1, ordering: .relaxed).newValue
        unsafe record.initialize(to: Record(slot: number & (count - 1)))
        guard unsafe pthread_setspecific(pthread_key_t(key - 1), record) == 0 else {
            unsafe record.deallocate()
            return nil
        }
        return unsafe record
    }

    private static func makeKey() {
        var made = pthread_key_t()
        let isMade = unsafe pthread_key_create(&made) { unsafe PerThread.free($0) } == 0
        let (isFirst, _) = key.compareExchange(
            expected: 0,
            desired: isMade ? UInt(made) + 1 : noKey,
            ordering: .acquiringAndReleasing
        )
        if isMade, !isFirst { pthread_key_delete(made) }
    }

    /// Takes an optional, since the systems differ in what they say that a thread's end hands over.
    private static func free(_ record: UnsafeMutableRawPointer?) { unsafe record?.deallocate() }
}
