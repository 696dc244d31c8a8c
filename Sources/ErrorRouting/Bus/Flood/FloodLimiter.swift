/// The state of a flood limit: decides which errors pass, holds the others back, and sums them up.
///
/// A plain value, which gets the time from its caller: the moments at which errors were posted, and the clock's time
/// once there are no more errors. So the same posts have the same results, however late the worker gets to them. `Held`
/// is a posting in a bus, and a number in tests.
struct FloodLimiter<Held> {
    enum Verdict {
        /// The error is to be delivered.
        case passes
        /// The error is held; the one that was held before it, if there is one, is suppressed.
        case isHeld(suppressesOne: Bool)
        /// First this held error is to be delivered, whose window has ended, or whose kind is forgotten to make room.
        ///
        /// In a box, since it is rare and large.
        indirect case comesAfter(Release)
    }

    /// A held error, until it is released: the newest of its kind, and the errors that it stands for.
    struct Release {
        private(set) var held: Held
        /// The number of errors that it stands for.
        private(set) var occurrences = 1
        /// When the oldest of these was posted.
        private(set) var firstMoment: ErrorReport.Moment

        /// Holds a newer error in place of this one, which is suppressed.
        ///
        /// - Returns: The suppressed error.
        mutating func replaceHeld(by newest: consuming Held, posted moment: ErrorReport.Moment) -> Held {
            if occurrences < .max { occurrences += 1 }
            // Errors are not quite in the order of their moments.
            firstMoment = min(firstMoment, moment)
            return exchange(&held, with: newest)
        }
    }

    /// One kind of error in one window.
    private struct Window {
        let hash: Int
        let end: Int64
        /// The next window in the same bucket of `slots`; -1 for none.
        var next: Int
        var passed = 0
    }

    private let limit: (first: Int, window: Int64)
    private let maximum: Int
    private var windows: [Window] = []
    /// The kinds of the windows, and the errors held in them; in arrays of their own, so that the windows, which are
    /// searched for every error, stay small.
    private var kinds: [ErrorFingerprint] = []
    private var held: [Release?] = []
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

    /// Decides whether an error passes or is held; if another one has to be delivered first, the caller asks again.
    ///
    /// - Parameters:
    ///   - token: What the limit needs to know of the error.
    ///   - former: Set to the error that was held before this one, if there is one: it is suppressed.
    ///   - error: Returns the error, and when it was posted; called only if it is held.
    mutating func admit(
        _ token: FloodToken, suppressing former: inout Held?, holding error: () -> (Held, ErrorReport.Moment)
    ) -> Verdict {
        // Errors are not quite in the order of their moments, so the window of this kind may have ended although one
        // that was opened before has not.
        if let release = release(endingBy: token.moment) { return .comesAfter(release) }
        var found = slot(of: token)
        if let slot = found, windows[slot].end <= token.moment {
            if let release = removeWindow(slot) { return .comesAfter(release) }
            found = nil
        }
        if let found {
            byLastUse.moveToEnd(found)
        } else {
            while windows.count - freeSlots.count >= maximum, let oldest = byLastUse.first {
                if let release = removeWindow(oldest) { return .comesAfter(release) }
            }
        }
        let slot = found ?? open(token)
        if windows[slot].passed < limit.first {
            windows[slot].passed += 1
            return .passes
        }
        let newest = error()
        if held[slot] == nil {
            held[slot] = Release(held: newest.0, firstMoment: newest.1)
            heldCount += 1
            return .isHeld(suppressesOne: false)
        }
        former = held[slot]?.replaceHeld(by: newest.0, posted: newest.1)
        return .isHeld(suppressesOne: true)
    }

    /// The slot of the window of an error's kind; nil if there is none.
    private func slot(of token: FloodToken) -> Int? {
        var slot = slots[token.hash & (slots.count - 1)]
        // So that a kind is compared where it lies, not copied.
        return unsafe kinds.withUnsafeBufferPointer { kinds in
            while slot >= 0, unsafe windows[slot].hash != token.hash || !(kinds[slot] == token.fingerprint) {
                slot = windows[slot].next
            }
            return slot < 0 ? nil : slot
        }
    }

    private mutating func open(_ token: FloodToken) -> Int {
        let (end, isForever) = token.moment.addingReportingOverflow(limit.window)
        let bucket = token.hash & (slots.count - 1)
        let window = Window(hash: token.hash, end: isForever ? .max : end, next: slots[bucket])
        let slot = freeSlots.popLast() ?? windows.count
        if slot == windows.count {
            windows.append(window)
            kinds.append(token.fingerprint)
            held.append(nil)
        } else {
            (windows[slot], kinds[slot]) = (window, token.fingerprint)
        }
        slots[bucket] = slot
        byOpening.append(slot)
        byLastUse.append(slot)
        return slot
    }

    /// Removes a window, and returns the error that is held in it.
    private mutating func removeWindow(_ slot: Int) -> Release? {
        let bucket = windows[slot].hash & (slots.count - 1)
        var previous = slots[bucket]
        if previous == slot {
            slots[bucket] = windows[slot].next
        } else {
            while windows[previous].next != slot { previous = windows[previous].next }
            windows[previous].next = windows[slot].next
        }
        byOpening.remove(slot)
        byLastUse.remove(slot)
        freeSlots.append(slot)
        return takeHeld(from: slot)
    }

    /// Takes the error that is held in a window.
    private mutating func takeHeld(from slot: Int) -> Release? {
        guard let release = held[slot].take() else { return nil }
        heldCount -= 1
        return release
    }
}

/// What a flood limit needs to know of an error: its kind, and when it was posted.
struct FloodToken: Sendable {
    let fingerprint: ErrorFingerprint
    let hash: Int
    /// In nanoseconds, by the bus's clock.
    let moment: Int64

    @inline(__always)
    init(_ fingerprint: consuming ErrorFingerprint, moment: Int64) {
        hash = fingerprint.quickHash
        self.fingerprint = fingerprint
        self.moment = moment
    }
}
