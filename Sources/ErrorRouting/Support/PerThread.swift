import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#endif

/// Data of each thread: the number of its slot, which gives it its own memory, and the depth of the library's nested
/// calls of user code.
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
        /// The number of matchers that the thread is running, nested in one another.
        var matchers = 0
        /// The number of texts that the thread is reading, nested in one another.
        var texts = 0
        /// The number of matchers and texts counted since the outermost one began.
        var within = 0
        /// The buses with metadata providers that the thread is running, outermost first.
        var providing: [UInt64] = []
    }

    /// A thread, by the address of its record.
    @safe fileprivate struct Thread {
        let address: UnsafeMutablePointer<Record>

        var record: Record {
            @inline(__always) _read { yield unsafe address.pointee }
            @inline(__always) nonmutating _modify { yield unsafe &address.pointee }
        }
    }

    /// The calling thread's slot, below ``count``.
    ///
    /// Threads receive slots in the order of their first calls. If the system has no key left, all threads share slot
    /// 0, which is slower but correct. The nesting of calls isn't bounded then.
    static var slot: Int { current?.record.slot ?? 0 }

    // MARK: Matchers

    /// The maximum nesting of matchers.
    static let matcherLimit = 16
    /// The depth from which matchers are counted; if each matcher calls several others, a limit of the depth alone
    /// allows too many calls.
    private static let countedDepth = 3
    /// The maximum number of counted matchers and texts within the outermost one.
    static let countLimit = 1_024

    /// The proof that a matcher was entered, for ``leaveMatcher(_:)``.
    struct Entry {
        fileprivate let thread: Thread?
    }

    /// Records that a matcher is about to run user code or that an error is about to be bridged.
    ///
    /// Without limits, a predicate or an `==` that dispatches its own error would recurse until the stack overflows.
    /// (This takes no closure so that generic callers needn't look up the type of its result.)
    ///
    /// - Returns: The entry for ``leaveMatcher(_:)``; nil if a limit is reached. The matcher must not run then and
    ///   counts as not matching.
    @inline(__always)
    static func enterMatcher() -> Entry? {
        guard let thread = current else { return Entry(thread: nil) }
        if thread.record.matchers >= countedDepth {
            guard thread.record.matchers < matcherLimit, thread.record.within < countLimit else { return nil }
            thread.record.within += 1
        }
        thread.record.matchers += 1
        return Entry(thread: thread)
    }

    /// Whether the thread is running a matcher, bridging an error, or reading an error's code.
    static var isInMatcher: Bool {
        // Use no closure: its optional result would cost each post under a flood limit 130 instructions.
        guard let thread = current else { return false }
        return thread.record.matchers > 0
    }

    /// Records that an entered matcher has returned.
    @inline(__always)
    static func leaveMatcher(_ entry: Entry) {
        guard let thread = entry.thread else { return }
        thread.record.matchers -= 1
        // Reset the count only when the outermost matcher or text ends.
        if thread.record.matchers == 0, thread.record.texts == 0 { thread.record.within = 0 }
    }

    // MARK: Texts

    /// The maximum nesting of texts.
    private static let textLimit = 4

    /// Whether the thread is reading a text.
    static var isInText: Bool { current.map { $0.record.texts > 0 } ?? false }

    /// Whether the library may read a text from user code, because neither limit is reached.
    static var mayEnterText: Bool {
        current.map { $0.record.texts < textLimit && $0.record.within < countLimit } ?? true
    }

    /// Calls a closure that reads a text from user code, which in turn might read one from the library.
    ///
    /// - Parameters:
    ///   - isCounted: Whether the text counts. Within an outermost text that doesn't count, the count starts again with
    ///     each text.
    ///   - body: The closure.
    static func inText<Result>(isCounted: Bool, _ body: () -> Result) -> Result {
        guard let thread = current else { return body() }
        let before = thread.record.within
        thread.record.texts += 1
        if isCounted { thread.record.within += 1 }
        defer {
            thread.record.texts -= 1
            // Reset the count in the text that began with a count of 0. Don't reset it in an explanation within a
            // matcher: it also began with 0, because the first matchers aren't counted, and the count would start again
            // with each of its own matchers.
            if before == 0, isCounted || thread.record.matchers == 0 { thread.record.within = 0 }
        }
        return body()
    }

    // MARK: Metadata providers

    /// Calls a bus's metadata provider, unless the thread is already running it because the provider has posted to its
    /// own bus.
    ///
    /// - Parameters:
    ///   - bus: The bus's number.
    ///   - body: Calls the provider.
    /// - Returns: The closure's result; nil if the closure wasn't called.
    static func unlessProviding<Result>(for bus: UInt64, _ body: () -> Result) -> Result? {
        guard let thread = current else { return body() }
        if thread.record.providing.contains(bus) { return nil }
        thread.record.providing.append(bus)
        defer { thread.record.providing.removeLast() }
        return body()
    }

    // MARK: The record

    /// The calling thread; nil if the system has no key left.
    @inline(__always)
    private static var current: Thread? {
        let key = key.load(ordering: .acquiring)
        if key != 0, key != noKey, let found = unsafe pthread_getspecific(pthread_key_t(key - 1)) {
            return unsafe Thread(address: found.assumingMemoryBound(to: Record.self))
        }
        return makeRecord()
    }

    @inline(never)
    private static func makeRecord() -> Thread? {
        if key.load(ordering: .acquiring) == 0 { makeKey() }
        let key = key.load(ordering: .acquiring)
        if key == noKey { return nil }
        let record = UnsafeMutablePointer<Record>.allocate(capacity: 1)
        let number = lastThread.wrappingAdd(1, ordering: .relaxed).newValue
        unsafe record.initialize(to: Record(slot: number & (count - 1)))
        guard unsafe pthread_setspecific(pthread_key_t(key - 1), record) == 0 else {
            unsafe record.deallocate()
            return nil
        }
        return unsafe Thread(address: record)
    }

    private static func makeKey() {
        var made = pthread_key_t()
        let isMade = unsafe pthread_key_create(&made) { unsafe PerThread.free($0) } == 0
        let isFirst = key.replace(0, by: isMade ? UInt(made) + 1 : noKey).isReplaced
        if isMade, !isFirst { pthread_key_delete(made) }
    }

    /// Frees a record; takes an optional because systems declare the parameter of a key's destructor differently.
    private static func free(_ record: UnsafeMutableRawPointer?) {
        guard let record = unsafe record?.assumingMemoryBound(to: Record.self) else { return }
        unsafe record.deinitialize(count: 1)
        unsafe record.deallocate()
    }
}
