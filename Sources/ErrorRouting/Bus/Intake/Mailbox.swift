import Synchronization

/// A lock-free list that any thread pushes to, and one reader takes whole.
///
/// What the head holds:
///
/// | head | meaning |
/// | --- | --- |
/// | `empty` | nothing is there, and the reader is awake |
/// | `asleep` | nothing is there, and the reader sleeps: the next push has to wake it |
/// | `shut` | nothing is there, and nothing ever will be: a push hands its item back |
/// | an address | the item pushed last; each item links to the one before |
///
/// Invariants:
///
/// 1. A push never waits: it fails only because another one succeeded, or because the mailbox is shut.
/// 2. Whoever replaces `asleep`, by push or by ``rouse()``, and nobody else, wakes the reader: once each sleep.
/// 3. An item belongs to its pusher until its compare-and-swap succeeds, and to the reader from its exchange on. Between
///    the two nobody looks into it, so that an address which is used again does no harm. The list holds each item once,
///    with one retain, which passes from the pusher to the reader.
/// 4. `shut` stays.
///
/// Memory order: the push's compare-and-swap releases, the reader's exchange acquires; so the reader sees all that was
/// written before each push whose item it takes, through the chain of compare-and-swaps that lies between. Order: a
/// poster's later push links to a list that holds its earlier one, or finds that taken already.
///
/// ``takeAll()``, ``sleep()`` and ``shut()`` are the reader's, and called by one thread at a time.
struct Mailbox<Item: MailboxItem>: ~Copyable, Sendable {
    enum PushAnswer {
        case pushed
        /// The reader sleeps and has to be woken.
        case pushedToSleeper
        /// The mailbox is shut.
        case refused
    }

    private let head = Atomic<UInt>(MailboxHead.empty)

    deinit { _ = shut() }

    /// Adds an item that is in no mailbox.
    func push(_ item: Item) -> PushAnswer {
        let address = unsafe UInt(bitPattern: Unmanaged.passRetained(item).toOpaque())
        var found = head.load(ordering: .relaxed)
        while found != MailboxHead.shut {
            item.next = MailboxHead.isAddress(found) ? found : 0
            let (isPushed, current) = head.weakCompareExchange(
                expected: found,
                desired: address,
                successOrdering: .releasing,
                failureOrdering: .relaxed
            )
            if isPushed { return found == MailboxHead.asleep ? .pushedToSleeper : .pushed }
            found = current
        }
        unsafe Unmanaged.passUnretained(item).release()
        return .refused
    }

    /// Takes everything that is there, in the order in which it was pushed.
    ///
    /// - Complexity: O(number of items), to turn their order round.
    func takeAll() -> MailboxBatch<Item> {
        guard MailboxHead.isAddress(head.load(ordering: .relaxed)) else { return MailboxBatch() }
        return MailboxBatch(newest: head.exchange(MailboxHead.empty, ordering: .acquiring))
    }

    /// Lets the next push wake the reader.
    ///
    /// - Returns: Whether the reader may sleep; if not, there is something to take.
    func sleep() -> Bool {
        let (isAsleep, found) = head.compareExchange(
            expected: MailboxHead.empty,
            desired: MailboxHead.asleep,
            ordering: .relaxed
        )
        return isAsleep || found == MailboxHead.asleep
    }

    /// Calls the reader although nothing was pushed.
    ///
    /// - Returns: Whether it sleeps, and has to be woken.
    func rouse() -> Bool {
        head.compareExchange(expected: MailboxHead.asleep, desired: MailboxHead.empty, ordering: .relaxed).exchanged
    }

    /// Takes everything that is there, and refuses whatever comes after.
    func shut() -> MailboxBatch<Item> {
        let found = head.exchange(MailboxHead.shut, ordering: .acquiring)
        return MailboxBatch(newest: MailboxHead.isAddress(found) ? found : 0)
    }
}

/// What can be put into a mailbox.
protocol MailboxItem: AnyObject, Sendable {
    /// The mailbox's: the address of another item of this type, or 0.
    var next: UInt { get set }
}

/// Items that were taken from a mailbox, the oldest first.
struct MailboxBatch<Item: MailboxItem>: ~Copyable, Sendable {
    /// The oldest item's address, or 0.
    private var oldest: UInt = 0

    /// A batch with nothing in it.
    init() {}

    /// Turns a list round.
    ///
    /// - Parameter newest: The address of the item pushed last, or 0.
    fileprivate init(newest: UInt) {
        var rest = newest
        while let item = unsafe Self.item(rest) {
            unsafe item._withUnsafeGuaranteedRef { item in
                (rest, item.next) = (item.next, oldest)
            }
            oldest = unsafe UInt(bitPattern: item.toOpaque())
        }
    }

    // One by one: items do not own each other, since a long list would end in as deep a recursion.
    deinit {
        var rest = oldest
        while Self.pop(&rest) != nil {}
    }

    var isEmpty: Bool { oldest == 0 }

    mutating func popFirst() -> Item? { Self.pop(&oldest) }

    /// Takes the oldest item, if it is one of a kind.
    mutating func popFirst(where isWanted: (Item) -> Bool) -> Item? {
        guard let item = unsafe Self.item(oldest), unsafe item._withUnsafeGuaranteedRef(isWanted) else { return nil }
        return Self.pop(&oldest)
    }

    private static func pop(_ oldest: inout UInt) -> Item? {
        guard let item = unsafe item(oldest)?.takeRetainedValue() else { return nil }
        oldest = item.next
        return item
    }

    private static func item(_ address: UInt) -> Unmanaged<Item>? {
        unsafe UnsafeRawPointer(bitPattern: address).map { unsafe Unmanaged.fromOpaque($0) }
    }
}

/// What a mailbox's head can hold beside an address; objects are aligned, so no address is as small.
private enum MailboxHead {
    static let empty: UInt = 0
    static let asleep: UInt = 1
    static let shut: UInt = 2

    static func isAddress(_ head: UInt) -> Bool { head > shut }
}
