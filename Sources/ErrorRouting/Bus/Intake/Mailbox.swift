import Synchronization

/// A lock-free list that any thread pushes to, and one reader takes whole.
///
/// What the head holds:
///
/// | head | meaning |
/// | --- | --- |
/// | `empty` | nothing is there, and the reader is awake |
/// | `asleep` | nothing is there, and the reader sleeps: the next push has to wake it |
/// | `shut` | nothing is there, and nothing ever will be: a push hands its element back |
/// | an address | the node pushed last; each links to the one before |
///
/// Invariants:
///
/// 1. A push never waits: it fails only because another one succeeded, or because the mailbox is shut.
/// 2. Whoever replaces `asleep`, by push or by ``rouse()``, and nobody else, wakes the reader: once each sleep.
/// 3. A node belongs to its pusher until its compare-and-swap succeeds, and to the reader from its exchange on. It
///    never stands in the list twice, and nobody looks into a node that is in the list, so that addresses which are
///    used again do no harm.
/// 4. `shut` stays.
///
/// Memory order: the push's compare-and-swap releases, the reader's exchange acquires; so the reader sees all that was
/// written before each push whose node it takes, through the chain of compare-and-swaps that lies between. Order: a
/// poster's later push links to a list that holds its earlier one, or finds that taken already.
///
/// ``takeAll()``, ``sleep()`` and ``shut()`` are the reader's, and called by one thread at a time.
struct Mailbox<Element: Sendable>: ~Copyable, Sendable {
    enum PushAnswer {
        case pushed
        /// The reader sleeps and has to be woken.
        case pushedToSleeper
        /// The mailbox is shut.
        case refused(Element)
    }

    private let head = Atomic<UInt>(MailboxHead.empty)

    deinit { _ = shut() }

    /// Adds an element.
    ///
    /// - Complexity: One allocation.
    func push(_ element: consuming Element) -> PushAnswer {
        let node = UnsafeMutablePointer<MailboxNode<Element>>.allocate(capacity: 1)
        unsafe node.initialize(to: MailboxNode(element: element))
        var found = head.load(ordering: .relaxed)
        while found != MailboxHead.shut {
            unsafe node.pointee.next = MailboxHead.isNode(found) ? found : 0
            let (isPushed, current) = head.weakCompareExchange(
                expected: found,
                desired: UInt(bitPattern: node),
                successOrdering: .releasing,
                failureOrdering: .relaxed
            )
            if isPushed { return found == MailboxHead.asleep ? .pushedToSleeper : .pushed }
            found = current
        }
        defer { unsafe node.deallocate() }
        return .refused(unsafe node.move().element)
    }

    /// Takes everything that is there, in the order in which it was pushed.
    ///
    /// - Complexity: O(number of elements), to turn their order round.
    func takeAll() -> MailboxBatch<Element> {
        guard MailboxHead.isNode(head.load(ordering: .relaxed)) else { return MailboxBatch(newest: 0) }
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
    func shut() -> MailboxBatch<Element> {
        let found = head.exchange(MailboxHead.shut, ordering: .acquiring)
        return MailboxBatch(newest: MailboxHead.isNode(found) ? found : 0)
    }
}

/// Elements that were taken from a mailbox, the oldest first.
struct MailboxBatch<Element: Sendable>: ~Copyable, Sendable {
    /// The oldest node's address, or 0.
    private var oldest: UInt

    /// Turns a list round.
    ///
    /// - Parameter newest: The address of the node pushed last, or 0.
    fileprivate init(newest: UInt) {
        oldest = 0
        var rest = newest
        while let node = unsafe UnsafeMutablePointer<MailboxNode<Element>>(bitPattern: rest) {
            rest = unsafe node.pointee.next
            unsafe node.pointee.next = oldest
            oldest = UInt(bitPattern: node)
        }
    }

    /// A batch with nothing in it.
    init() {
        oldest = 0
    }

    // Node by node: nodes do not own each other, since a long list would end in as deep a recursion.
    deinit {
        var rest = oldest
        while Self.pop(&rest) != nil {}
    }

    var isEmpty: Bool { oldest == 0 }

    mutating func popFirst() -> Element? { Self.pop(&oldest) }

    private static func pop(_ oldest: inout UInt) -> Element? {
        guard let node = unsafe UnsafeMutablePointer<MailboxNode<Element>>(bitPattern: oldest) else { return nil }
        oldest = unsafe node.pointee.next
        defer { unsafe node.deallocate() }
        return unsafe node.move().element
    }
}

/// An element on its way, with the address of the one pushed before it, or 0.
private struct MailboxNode<Element> {
    var next: UInt = 0
    let element: Element
}

/// What a mailbox's head can hold beside an address; nodes are aligned, so no address is as small.
private enum MailboxHead {
    static let empty: UInt = 0
    static let asleep: UInt = 1
    static let shut: UInt = 2

    static func isNode(_ head: UInt) -> Bool { head > shut }
}
