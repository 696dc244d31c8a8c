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
        let fingerprint: ErrorFingerprint
        let end: Duration
        var passed = 0
        var held: Held?
        var suppressed: Int64 = 0
    }

    let limit: FloodLimit
    private let maximum: Int
    private var windows: [Window?] = []
    private var freeSlots: [Int] = []
    private var slots: [ErrorFingerprint: Int] = [:]
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
        self.limit = limit
        self.maximum = maximum
    }

    /// When something may have to be let go; nil as long as nothing is held.
    var nextEnd: Duration? {
        heldCount == 0 ? nil : byOpening.first.flatMap { windows[$0]?.end }
    }

    /// Lets go of one that is held, if its window has ended.
    ///
    /// - Parameter time: The moment up to which windows end; nil for all of them.
    mutating func release(endingBy time: Duration?) -> Release? {
        while let slot = byOpening.first, let window = windows[slot] {
            if let time, window.end > time { return nil }
            if let release = close(slot) { return release }
        }
        return nil
    }

    /// Lets go of one that is held, in the order of windows, which go on: it was asked for.
    ///
    /// - Complexity: O(number of windows).
    mutating func releaseHeld() -> Release? {
        let holding = windows.indices.filter { windows[$0]?.held != nil }
        let slot = holding.min { (windows[$0]?.end ?? .zero) < (windows[$1]?.end ?? .zero) }
        guard let slot, let window = windows[slot], let held = window.held else { return nil }
        windows[slot]?.held = nil
        windows[slot]?.suppressed = 0
        heldCount -= 1
        return Release(held: held, occurrences: Int(clamping: 1 + window.suppressed))
    }

    /// Lets go of one that has to go before an error can be admitted: its predecessor in a window that has ended, or
    /// what is held for the kind that is forgotten for it.
    ///
    /// Called until it returns nil.
    mutating func release(toAdmit fingerprint: ErrorFingerprint, at time: Duration) -> Release? {
        // Posters' moments are not quite in order, so its own window may have ended although an earlier one has not.
        if let release = release(endingBy: time) { return release }
        if let slot = slots[fingerprint], let window = windows[slot] {
            return window.end <= time ? close(slot) : nil
        }
        while slots.count >= maximum, let oldest = bySight.first {
            if let release = close(oldest) { return release }
        }
        return nil
    }

    /// Decides about an error.
    mutating func admit(_ error: Held, _ fingerprint: ErrorFingerprint, at time: Duration) -> Verdict {
        let slot = slots[fingerprint] ?? open(fingerprint, at: time)
        bySight.remove(slot)
        bySight.append(slot)
        if let passed = windows[slot]?.passed, passed < limit.first {
            windows[slot]?.passed += 1
            return .passes(error)
        }
        let before = windows[slot]?.held
        windows[slot]?.held = error
        if before == nil { heldCount += 1 } else { windows[slot]?.suppressed += 1 }
        return .isHeld(suppressing: before)
    }

    private mutating func open(_ fingerprint: ErrorFingerprint, at time: Duration) -> Int {
        let slot = freeSlots.popLast() ?? windows.count
        if slot == windows.count { windows.append(nil) }
        windows[slot] = Window(fingerprint: fingerprint, end: time + min(limit.window, BusClock.forever))
        slots[fingerprint] = slot
        byOpening.append(slot)
        bySight.append(slot)
        return slot
    }

    private mutating func close(_ slot: Int) -> Release? {
        guard let window = windows[slot].take() else { return nil }
        slots[window.fingerprint] = nil
        byOpening.remove(slot)
        bySight.remove(slot)
        freeSlots.append(slot)
        guard let held = window.held else { return nil }
        heldCount -= 1
        return Release(held: held, occurrences: Int(clamping: 1 + window.suppressed))
    }
}
