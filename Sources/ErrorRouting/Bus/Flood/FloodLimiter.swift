/// Which errors pass, and which are held back and summed up: a plain value, told of every error and of the time.
///
/// Time is what its caller says: the moments at which errors were posted, and the clock's once no more are there. So
/// the same posts have the same results, however late the loop comes by. What it holds it holds for its caller; `Held`
/// is a report in a bus, and a number in tests.
struct FloodLimiter<Held> {
    enum Verdict {
        /// Deliver it.
        case passes(Held)
        /// It is held; the one that was held before it is suppressed.
        case isHeld(suppressing: Held?)
    }

    /// What is let go: the newest of its kind, and for how many it stands.
    struct Release {
        let held: Held
        let occurrences: Int
    }

    /// One kind of error in one window.
    private struct Window {
        let hash: Int
        let end: Int64
        /// Another one whose hash ends alike; -1 for none.
        var next: Int
        var passed = 0
        var suppressed: Int64 = 0
    }

    private let limit: (first: Int, window: Int64)
    private let maximum: Int
    private var windows: [Window] = []
    /// Beside the windows, which are looked at for every error: their kinds, and what is held in them.
    private var kinds: [ErrorFingerprint] = []
    private var held: [Held?] = []
    private var freeSlots: [Int] = []
    /// The window opened last of those whose hashes end alike; -1 for none.
    private var slots: [Int]
    /// The windows in the order in which they were opened, which is that in which they end.
    private var byOpening = SlotOrder()
    /// The windows in the order in which an error was last seen in them.
    private var bySight = SlotOrder()
    /// How many errors are held.
    private(set) var heldCount = 0

    /// - Parameters:
    ///   - limit: What passes.
    ///   - maximum: How many kinds of error are remembered; at least 1.
    init(_ limit: FloodLimit, keeping maximum: Int) {
        self.limit = (limit.first, min(limit.window, BusClock.forever).nanoseconds)
        self.maximum = maximum
        slots = Array(repeating: -1, count: 1 << (Int.bitWidth - (maximum - 1).leadingZeroBitCount))
    }

    /// When something may have to be let go; nil as long as nothing is held.
    var nextEnd: Duration? {
        heldCount == 0 ? nil : byOpening.first.map { .nanoseconds(windows[$0].end) }
    }

    /// Lets go of one that is held, if its window has ended.
    ///
    /// - Parameter moment: The moment up to which windows end, in nanoseconds; nil for all of them.
    mutating func release(endingBy moment: Int64?) -> Release? {
        while let slot = byOpening.first {
            if let moment, windows[slot].end > moment { return nil }
            if let release = close(slot) { return release }
        }
        return nil
    }

    /// Lets go of one that is held, in the order of windows, which go on: it was asked for.
    ///
    /// - Complexity: O(number of windows).
    mutating func releaseHeld() -> Release? {
        let slot = held.indices.filter { held[$0] != nil }.min { windows[$0].end < windows[$1].end }
        return slot.flatMap { letGo(of: $0) }
    }

    /// Lets go of one that has to go before an error can be admitted: its predecessor in a window that has ended, or
    /// what is held for the kind that is forgotten for it.
    ///
    /// Called until it returns nil.
    mutating func release(toAdmit mark: FloodMark) -> Release? {
        // Posters' moments are not quite in order, so its own window may have ended although an earlier one has not.
        if let release = release(endingBy: mark.moment) { return release }
        if let slot = slot(of: mark) { return windows[slot].end <= mark.moment ? close(slot) : nil }
        while windows.count - freeSlots.count >= maximum, let oldest = bySight.first {
            if let release = close(oldest) { return release }
        }
        return nil
    }

    /// Lets an error pass, if it may.
    ///
    /// For as long as nothing is held. If it may not, ``admit(_:_:)`` decides about it.
    mutating func pass(_ mark: FloodMark) -> Bool {
        assert(heldCount == 0, "something is held")
        _ = release(endingBy: mark.moment)
        if let slot = slot(of: mark), windows[slot].end > mark.moment {
            bySight.moveToEnd(slot)
            return pass(slot)
        }
        _ = release(toAdmit: mark)
        return pass(see(mark))
    }

    /// Decides about an error.
    mutating func admit(_ error: Held, _ mark: FloodMark) -> Verdict {
        let slot = see(mark)
        if pass(slot) { return .passes(error) }
        let before = held[slot]
        held[slot] = error
        if before == nil { heldCount += 1 } else { windows[slot].suppressed += 1 }
        return .isHeld(suppressing: before)
    }

    /// The window of an error's kind; nil if there is none.
    private func slot(of mark: FloodMark) -> Int? {
        var slot = slots[mark.hash & (slots.count - 1)]
        while slot >= 0 {
            if windows[slot].hash == mark.hash, kinds[slot] == mark.fingerprint { return slot }
            slot = windows[slot].next
        }
        return nil
    }

    /// The window of an error's kind, which is seen now.
    private mutating func see(_ mark: FloodMark) -> Int {
        guard let slot = slot(of: mark) else { return open(mark) }
        bySight.moveToEnd(slot)
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
        bySight.append(slot)
        return slot
    }

    private mutating func close(_ slot: Int) -> Release? {
        let place = windows[slot].hash & (slots.count - 1)
        var previous = slots[place]
        if previous == slot {
            slots[place] = windows[slot].next
        } else {
            while windows[previous].next != slot { previous = windows[previous].next }
            windows[previous].next = windows[slot].next
        }
        byOpening.remove(slot)
        bySight.remove(slot)
        freeSlots.append(slot)
        return letGo(of: slot)
    }

    private mutating func letGo(of slot: Int) -> Release? {
        guard let error = held[slot].take() else { return nil }
        defer { windows[slot].suppressed = 0 }
        heldCount -= 1
        return Release(held: error, occurrences: Int(clamping: 1 + windows[slot].suppressed))
    }
}
