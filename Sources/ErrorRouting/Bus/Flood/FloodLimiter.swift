/// The state of a flood limit: decides which errors pass, holds the others back, and sums them up.
///
/// A plain value, which gets the time from its caller: the moments at which errors were posted, and the clock's time
/// once there are no more errors. So the same posts have the same results, however late the worker gets to them. `Held`
/// is a report in a bus, and a number in tests.
struct FloodLimiter<Held> {
    enum Verdict {
        /// The error is to be delivered.
        case passes(Held)
        /// The error is held; the one that was held before it is suppressed.
        case isHeld(suppressing: Held?)
    }

    /// A held error that is released: the newest of its kind, and the number of errors that it stands for.
    struct Release {
        let held: Held
        let occurrences: Int
    }

    /// One kind of error in one window.
    private struct Window {
        let hash: Int
        let end: Int64
        /// The next window in the same bucket of `slots`; -1 for none.
        var next: Int
        var passed = 0
        var suppressed: Int64 = 0
    }

    private let limit: (first: Int, window: Int64)
    private let maximum: Int
    private var windows: [Window] = []
    /// The kinds of the windows, and the errors held in them; in arrays of their own, so that the windows, which are
    /// searched for every error, stay small.
    private var kinds: [ErrorFingerprint] = []
    private var held: [Held?] = []
    private var freeSlots: [Int] = []
    /// The hash table's buckets: the window that was opened last in each; -1 for none.
    private var slots: [Int]
    /// The windows in the order in which they were opened, which is nearly the order in which they end.
    private var byOpening = SlotOrder()
    /// The windows in the order in which an error was last seen in them, the longest unused one first.
    private var byLastUse = SlotOrder()
    /// The number of held errors.
    private(set) var heldCount = 0

    /// - Parameters:
    ///   - limit: The limit.
    ///   - maximum: The number of kinds that are remembered; at least 1.
    init(_ limit: FloodLimit, keeping maximum: Int) {
        self.limit = (limit.first, min(limit.window, BusClock.forever).nanoseconds)
        self.maximum = maximum
        slots = Array(repeating: -1, count: 1 << (Int.bitWidth - (maximum - 1).leadingZeroBitCount))
    }

    /// The earliest moment at which a held error may have to be released; nil if none is held.
    var nextEnd: Duration? {
        heldCount == 0 ? nil : byOpening.first.map { .nanoseconds(windows[$0].end) }
    }

    /// Removes windows that have ended, up to the first one that holds an error, and returns that error.
    ///
    /// - Parameter moment: The moment by which a window must have ended, in nanoseconds; nil to end all of them.
    mutating func release(endingBy moment: Int64?) -> Release? {
        while let slot = byOpening.first {
            if let moment, windows[slot].end > moment { return nil }
            if let release = removeWindow(slot) { return release }
        }
        return nil
    }

    /// Releases the held error whose window ends first; the window goes on.
    ///
    /// - Complexity: O(number of windows).
    mutating func releaseHeld() -> Release? {
        let slot = held.indices.filter { held[$0] != nil }.min { windows[$0].end < windows[$1].end }
        return slot.flatMap { takeHeld(from: $0) }
    }

    /// Releases one held error that must be delivered before a new error can be admitted: one whose window has ended,
    /// or one of a kind that is forgotten to make room.
    ///
    /// The caller repeats this until it returns nil.
    mutating func release(toAdmit mark: FloodMark) -> Release? {
        // Errors are not quite in the order of their moments, so the window of this kind may have ended although one
        // that was opened before has not.
        if let release = release(endingBy: mark.moment) { return release }
        if let slot = slot(of: mark) { return windows[slot].end <= mark.moment ? removeWindow(slot) : nil }
        while windows.count - freeSlots.count >= maximum, let oldest = byLastUse.first {
            if let release = removeWindow(oldest) { return release }
        }
        return nil
    }

    /// Counts an error in its window, and returns whether it passes; if not, the caller calls ``admit(_:_:)`` with it.
    ///
    /// Only for a limiter that holds nothing.
    mutating func pass(_ mark: FloodMark) -> Bool {
        assert(heldCount == 0, "something is held")
        _ = release(endingBy: mark.moment)
        if let slot = slot(of: mark), windows[slot].end > mark.moment {
            byLastUse.moveToEnd(slot)
            return pass(slot)
        }
        _ = release(toAdmit: mark)
        return pass(use(mark))
    }

    /// Decides whether an error passes or is held.
    mutating func admit(_ error: Held, _ mark: FloodMark) -> Verdict {
        let slot = use(mark)
        if pass(slot) { return .passes(error) }
        let before = held[slot]
        held[slot] = error
        if before == nil { heldCount += 1 } else { windows[slot].suppressed += 1 }
        return .isHeld(suppressing: before)
    }

    /// The slot of the window of an error's kind; nil if there is none.
    private func slot(of mark: FloodMark) -> Int? {
        var slot = slots[mark.hash & (slots.count - 1)]
        while slot >= 0 {
            if windows[slot].hash == mark.hash, kinds[slot] == mark.fingerprint { return slot }
            slot = windows[slot].next
        }
        return nil
    }

    /// Returns the slot of the window of an error's kind, opening one if there is none, and marks it as used last.
    private mutating func use(_ mark: FloodMark) -> Int {
        guard let slot = slot(of: mark) else { return open(mark) }
        byLastUse.moveToEnd(slot)
        return slot
    }

    private mutating func pass(_ slot: Int) -> Bool {
        guard windows[slot].passed < limit.first else { return false }
        windows[slot].passed += 1
        return true
    }

    private mutating func open(_ mark: FloodMark) -> Int {
        let (end, isForever) = mark.moment.addingReportingOverflow(limit.window)
        let place = mark.hash & (slots.count - 1)
        let window = Window(hash: mark.hash, end: isForever ? .max : end, next: slots[place])
        let slot = freeSlots.popLast() ?? windows.count
        if slot == windows.count {
            windows.append(window)
            kinds.append(mark.fingerprint)
            held.append(nil)
        } else {
            (windows[slot], kinds[slot]) = (window, mark.fingerprint)
        }
        slots[place] = slot
        byOpening.append(slot)
        byLastUse.append(slot)
        return slot
    }

    /// Removes a window, and returns the error that is held in it.
    private mutating func removeWindow(_ slot: Int) -> Release? {
        let place = windows[slot].hash & (slots.count - 1)
        var previous = slots[place]
        if previous == slot {
            slots[place] = windows[slot].next
        } else {
            while windows[previous].next != slot { previous = windows[previous].next }
            windows[previous].next = windows[slot].next
        }
        byOpening.remove(slot)
        byLastUse.remove(slot)
        freeSlots.append(slot)
        return takeHeld(from: slot)
    }

    /// Takes the error that is held in a window, as a release.
    private mutating func takeHeld(from slot: Int) -> Release? {
        guard let error = held[slot].take() else { return nil }
        defer { windows[slot].suppressed = 0 }
        heldCount -= 1
        return Release(held: error, occurrences: Int(clamping: 1 + windows[slot].suppressed))
    }
}

/// What a flood limit needs to know of an error: its kind, and when it was posted.
struct FloodMark: Sendable {
    let fingerprint: ErrorFingerprint
    let hash: Int
    /// In nanoseconds, by the bus's clock.
    let moment: Int64

    @inline(__always)
    init(_ fingerprint: ErrorFingerprint, moment: Int64) {
        self.fingerprint = fingerprint
        hash = fingerprint.quickHash
        self.moment = moment
    }
}

/// An order of numbered slots: a doubly linked list, in which a slot is moved or removed in O(1).
struct SlotOrder {
    /// The neighbours of a slot; -1 for none.
    private struct Links {
        var previous = -1
        var next = -1
    }

    private var links: [Links] = []
    /// The last slot as `previous`, and the first slot as `next`.
    private var ends = Links()

    /// The first slot; nil if there is none.
    var first: Int? { ends.next < 0 ? nil : ends.next }

    /// Adds a slot that is not in the order at its end.
    mutating func append(_ slot: Int) {
        while links.count <= slot { links.append(Links()) }
        links[slot] = Links(previous: ends.previous)
        if ends.previous < 0 { ends.next = slot } else { links[ends.previous].next = slot }
        ends.previous = slot
    }

    /// Removes a slot that is in the order.
    mutating func remove(_ slot: Int) {
        let (previous, next) = (links[slot].previous, links[slot].next)
        if previous < 0 { ends.next = next } else { links[previous].next = next }
        if next < 0 { ends.previous = previous } else { links[next].previous = previous }
    }

    /// Moves a slot that is in the order to its end.
    mutating func moveToEnd(_ slot: Int) {
        if slot == ends.previous { return }
        remove(slot)
        append(slot)
    }
}

/// The flood limit while the worker is in the lane, where reports pass without the lock.
///
/// Unchecked, since only the worker uses it meanwhile: it gets the limiter when it opens the lane, under the lock, and
/// gives it back when it closes the lane. The limiter holds no report meanwhile, so a shutdown by another thread needs
/// nothing from it.
final class LaneFlood: @unchecked Sendable {
    @exclusivity(unchecked) var limiter: FloodLimiter<PendingReport>?
}
