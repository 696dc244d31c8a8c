import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#endif

/// Data of each thread: the number of its slot, which gives it its own memory, the depth of the library's nested calls
/// of user code, and the depth of the error that the thread is logging.
///
/// Those calls are synchronous. A task-local value would also work, but tasks started by user code would inherit it.
enum PerThread {
    /// The number of slots: a power of two, at least the number of cores but at most 256, so that concurrent threads
    /// usually have different slots.
    static let count: Int = {
        var count = 4
        while count < ProcessInfo.processInfo.activeProcessorCount, count < 256 { count *= 2 }
        return count
    }()

    private static let lastThread = Atomic<Int>(0)
    /// The system's key plus one; 0 before the first use, ``noKey`` if the system had no key left.
    ///
    /// It is an atomic because a lazily initialized `static let` would cost a check at each use. It isn't private
    /// because `Tests/Interleavings` explores the first use repeatedly.
    static let key = Atomic<UInt>(0)
    private static let noKey = UInt.max

    /// The data of one thread, which no other thread accesses; freed when the thread ends.
    fileprivate struct Record {
        let slot: Int
        /// The number of entries into user code, nested in one another.
        var depth = 0
        /// The depth of the error that the thread is logging; see ``logDepth``.
        var logDepth = 0
        /// The closures of buses that the thread is running, outermost first.
        var running: [(closure: BusClosure, bus: UInt64)] = []
    }

    /// The calling thread's slot, below ``count``.
    ///
    /// Threads receive slots in the order of their first calls. If the system has no key left, all threads share slot
    /// 0, which is slower but correct. The nesting of calls isn't bounded then.
    static var slot: Int { current?.value.slot ?? 0 }

    // MARK: User code

    /// The maximum nesting of user code, each called by the library on behalf of the one around it.
    static let depthLimit = 3

    /// The proof that user code was entered, for ``leaveUserCode(_:)``.
    struct Entry {
        fileprivate let record: ManualBox<Record>?
    }

    /// Records that the library is about to call user code: a matcher's, an error's, or a text's.
    ///
    /// Without a limit, a predicate that dispatches its own error, or a description that reads its own error's message,
    /// would recurse until the stack overflows. A dispatch, a lookup in a map, a matcher, a text, or an explanation
    /// enters once for all the user code that it calls at a time; what it calls within itself, such as bridging,
    /// doesn't enter again. (This takes no closure so that generic callers needn't look up the type of its result.)
    ///
    /// - Returns: The entry for ``leaveUserCode(_:)``; nil at the limit. User code must not be called then: a matcher
    ///   counts as not matching, and a text is the type's name.
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

    /// Whether no more user code can be called, so that code must not keep what it decides without that.
    static var isAtLimit: Bool { depth >= depthLimit }

    private static var depth: Int {
        // Use no closure: its optional result would cost each post under a flood limit 130 instructions.
        guard let record = current else { return 0 }
        return record.value.depth
    }

    /// Calls a closure that calls user code; at the limit, calls nothing and returns nil.
    static func inUserCode<Result>(_ body: () -> Result) -> Result? {
        guard let entry = enterUserCode() else { return nil }
        defer { leaveUserCode(entry) }
        return body()
    }

    // MARK: Logs

    /// Whether any thread has logged an error; until then, posts needn't look for a log.
    ///
    /// A relaxed read finds what the same thread has stored.
    static var hasLogged: Bool { isAnyLogged.load(ordering: .relaxed) }

    private static let isAnyLogged = Atomic<Bool>(false)

    /// The depth of the error that the thread is logging: 1 for any error, 2 for an error that was posted while a
    /// thread logged that one, and so on; 0 if the thread isn't logging.
    static var logDepth: Int { current?.value.logDepth ?? 0 }

    /// The proof that a thread began to log an error, for ``leaveLog(_:)``.
    struct LogEntry {
        fileprivate let record: ManualBox<Record>?
    }

    /// Records that the thread is about to log an error of depth 1; nil if it is logging already.
    @inline(__always)
    static func enterLog() -> LogEntry? {
        guard let record = current else { return LogEntry(record: nil) }
        guard record.value.logDepth == 0 else { return nil }
        // Don't store again what all posting threads read.
        if !hasLogged { isAnyLogged.store(true, ordering: .relaxed) }
        record.value.logDepth = 1
        return LogEntry(record: record)
    }

    /// Records that the thread has logged the error.
    @inline(__always)
    static func leaveLog(_ entry: LogEntry) { entry.record?.value.logDepth = 0 }

    /// Calls a closure that handles an error of a depth above 1, which was posted while a thread logged another one.
    static func logging(atDepth depth: Int, _ body: () -> Void) {
        assert(hasLogged, "no thread has logged the error of the depth below")
        guard let record = current else { return body() }
        let outer = exchange(&record.value.logDepth, with: depth)
        defer { record.value.logDepth = outer }
        body()
    }

    // MARK: Closures of buses

    /// User code that a bus calls for each post and that might post to the same bus.
    enum BusClosure {
        case metadataProvider
        /// Whatever computes the kind of an error for a flood limit.
        case floodKind
    }

    /// Records that the thread is about to call a bus's closure.
    ///
    /// - Parameters:
    ///   - closure: Which closure.
    ///   - bus: The bus's number.
    /// - Returns: Whether the closure may be called, and then ``leave()`` must be; false within the same closure.
    static func enter(_ closure: BusClosure, of bus: UInt64) -> Bool {
        guard let record = current else { return true }
        if record.value.running.contains(where: { $0 == (closure, bus) }) { return false }
        record.value.running.append((closure, bus))
        return true
    }

    /// Records that the closure entered last has returned.
    static func leave() { _ = current?.value.running.popLast() }

    // MARK: The record

    /// The calling thread's record; nil if the system has no key left.
    @inline(__always)
    private static var current: ManualBox<Record>? {
        let key = key.load(ordering: .acquiring)
        if key != 0, key != noKey, let found = unsafe pthread_getspecific(pthread_key_t(key - 1)) {
            return unsafe ManualBox(at: found)
        }
        return makeRecord()
    }

    @inline(never)
    private static func makeRecord() -> ManualBox<Record>? {
        if key.load(ordering: .acquiring) == 0 { makeKey() }
        let key = key.load(ordering: .acquiring)
        if key == noKey { return nil }
        let number = lastThread.wrappingAdd(1, ordering: .relaxed).newValue
        let record = ManualBox(Record(slot: number & (count - 1)))
        guard unsafe pthread_setspecific(pthread_key_t(key - 1), record.rawAddress) == 0 else {
            record.deallocate()
            return nil
        }
        return record
    }

    private static func makeKey() {
        var made = pthread_key_t()
        let isMade = unsafe pthread_key_create(&made) { unsafe PerThread.free($0) } == 0
        let isFirst = key.replace(0, by: isMade ? UInt(made) + 1 : noKey).isReplaced
        if isMade, !isFirst { pthread_key_delete(made) }
    }

    /// Frees a record; takes an optional because systems declare the parameter of a key's destructor differently.
    private static func free(_ record: UnsafeMutableRawPointer?) {
        if let record = unsafe record { unsafe ManualBox<Record>(at: record).deallocate() }
    }
}
