import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#endif

/// Data that each thread has: a slot number, the depth of nested user code, the depth of the error being logged, and
/// the bus closures that it is running.
///
/// The slot gives the thread its own memory in other types. A task-local value would also work for the depths, because
/// the calls are synchronous, but tasks started by user code would inherit it.
enum PerThread {
    /// The number of slots: a power of two, at least the number of cores but at most 256, so that concurrent threads
    /// usually have different slots.
    static let count: Int = {
        var count = 4
        while count < ProcessInfo.processInfo.activeProcessorCount, count < 256 { count *= 2 }
        return count
    }()

    private static let lastThread = Atomic<Int>(0)

    /// The data of one thread, which other threads don't access; freed when the thread exits.
    fileprivate struct Record {
        let slot: Int
        /// How many entries into user code are currently nested.
        var depth = 0
        /// The depth of the error that the thread is logging; see ``logDepth``.
        var logDepth = 0
        /// The bus closures that the thread is running, outermost first.
        var running: [(closure: BusClosure, bus: UInt64)] = []
    }

    /// The calling thread's slot, below ``count``.
    ///
    /// Threads receive slots in the order of their first calls. If the system has no free key, all threads share slot
    /// 0, which is slower but correct. In that case, the nesting of user code isn't bounded.
    static var slot: Int { current?.value.slot ?? 0 }

    // MARK: User code

    /// The limit on nested user code: the library calls user code, which calls the library, which calls user code.
    static let depthLimit = 3

    /// Proof that user code was entered, for ``leaveUserCode(_:)``.
    struct Entry {
        fileprivate let record: Place<Record>?
    }

    /// Records that the library is about to call user code, such as a matcher's predicate or an error's description.
    ///
    /// Without a limit, a predicate that dispatches its own error, or a description that reads its own error's message,
    /// would recurse until the stack overflows. Each dispatch, map lookup, matcher, description, or explanation enters
    /// once, even if it calls several pieces of user code. Work within it, such as bridging, doesn't enter again.
    ///
    /// The result is nil at the limit. In that case user code must not be called: a matcher counts as not matching, and
    /// a description is the type's name. This function doesn't take a closure, so generic callers needn't look up the
    /// type of a result.
    @inline(__always)
    static func enterUserCode() -> Entry? {
        guard let record = current else { return Entry(record: nil) }
        guard record.value.depth < depthLimit else { return nil }
        record.value.depth += 1
        return Entry(record: record)
    }

    /// Records that the entered user code has returned.
    @inline(__always)
    static func leaveUserCode(_ entry: Entry) { entry.record?.value.depth -= 1 }

    /// Whether the library is calling user code on this thread.
    static var isInUserCode: Bool { depth > 0 }

    /// Whether the nesting limit is reached: don't cache results computed then, because no user code was called.
    static var isAtLimit: Bool { depth >= depthLimit }

    private static var depth: Int {
        // Don't pass a closure to `map`: its optional result would cost 130 instructions per post under a flood limit.
        guard let record = current else { return 0 }
        return record.value.depth
    }

    /// Calls a closure that calls user code; at the limit, returns nil without calling the closure.
    static func inUserCode<Result>(_ body: () -> Result) -> Result? {
        guard let entry = enterUserCode() else { return nil }
        defer { leaveUserCode(entry) }
        return body()
    }

    // MARK: Logs

    /// Whether any thread has logged an error; until then, posts needn't look up whether their thread is logging.
    ///
    /// A relaxed read suffices, because it finds what the same thread has stored.
    private static let isAnyLogged = Atomic<Bool>(false)

    /// Whether the thread is logging an error.
    @inline(__always)
    static var isLogging: Bool { isAnyLogged.load(ordering: .relaxed) && logDepth > 0 }

    /// The depth of the error that the thread is logging, or 0 if the thread isn't logging.
    ///
    /// The depth is 1 for an error that was not posted during logging. It is 2 for an error that was posted while a
    /// thread logged an error of depth 1, and so on.
    static var logDepth: Int { current?.value.logDepth ?? 0 }

    /// Calls a closure that logs an error of a given depth.
    @inline(__always)
    static func logging(atDepth depth: Int, _ body: () -> Void) {
        guard let record = current else { return body() }
        // Don't store the flag again: a write would evict it from the caches of all posting threads.
        if !isAnyLogged.load(ordering: .relaxed) { isAnyLogged.store(true, ordering: .relaxed) }
        let outer = exchange(&record.value.logDepth, with: depth)
        defer { record.value.logDepth = outer }
        body()
    }

    // MARK: Bus closures

    /// User code that a bus calls for each post and that might post to the same bus.
    enum BusClosure {
        case metadataProvider
        /// User code that computes the kind of an error for a flood limit.
        case floodKind
    }

    /// Calls user code of the bus with a given number; within that code, returns nil without calling it.
    @inline(__always)
    static func calling<Result>(_ closure: BusClosure, of bus: UInt64, _ body: () -> Result) -> Result? {
        guard let record = current else { return body() }
        if record.value.running.contains(where: { $0 == (closure, bus) }) { return nil }
        record.value.running.append((closure, bus))
        defer { record.value.running.removeLast() }
        return body()
    }

    // MARK: The record

    /// The key of the threads' records; nil if the system has no free key.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        let isMade = unsafe pthread_key_create(&key) { unsafe PerThread.free($0) } == 0
        return isMade ? key : nil
    }()

    /// The key plus one; 0 until a thread has a record.
    ///
    /// It is faster to read than the constant, which is initialized on its first use. A relaxed read suffices, because
    /// a thread that has a record finds what it has stored itself.
    private static let keyPlusOne = Atomic<UInt>(0)

    /// The calling thread's record; nil if the system has no free key.
    @inline(__always)
    private static var current: Place<Record>? {
        let key = keyPlusOne.load(ordering: .relaxed)
        if key != 0, let found = unsafe pthread_getspecific(pthread_key_t(key - 1)) { return unsafe Place(at: found) }
        return makeRecord()
    }

    @inline(never)
    private static func makeRecord() -> Place<Record>? {
        guard let key else { return nil }
        keyPlusOne.store(UInt(key) + 1, ordering: .relaxed)
        let number = lastThread.wrappingAdd(1, ordering: .relaxed).newValue
        // Use the mask as a remainder: `count` is a power of two.
        let record = Place(Record(slot: number & (count - 1)))
        guard unsafe pthread_setspecific(key, record.rawAddress) == 0 else {
            record.destroy()
            return nil
        }
        return record
    }

    /// Frees a record; the parameter is optional because systems declare a key's destructor differently.
    private static func free(_ record: UnsafeMutableRawPointer?) {
        if let record = unsafe record { unsafe Place<Record>(at: record).destroy() }
    }
}
