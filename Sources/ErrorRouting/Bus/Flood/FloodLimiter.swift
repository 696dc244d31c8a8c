/// The state of a flood limit: decides which errors pass, holds back others, and merges them.
///
/// It receives the time from its caller: the times at which errors were posted and, when no more errors are pending,
/// the clock's time. Therefore the same posts have the same results, regardless of how late the worker reads them.
struct FloodLimiter {
    enum Decision {
        /// The error must be delivered.
        case passes
        /// The error must be held back in this window.
        case holds(Window)
        /// This held error must be delivered first.
        ///
        /// Its window has ended, or its kind is removed to make room. The payload is boxed because it is rare and
        /// large.
        indirect case comesAfter(Posting)
    }

    /// The current window of one kind of error; an object so that reading it doesn't copy a posting.
    final class Window {
        fileprivate var passed = 0
        /// The held error, which is the newest of its kind.
        private var held: Posting?
        /// The number of errors that the held error represents, and the time at which the oldest of them was posted.
        private var (occurrences, firstMoment) = (0, nil as Moment?)

        fileprivate var isHolding: Bool { held != nil }

        /// Holds back an error; returns the held error that it replaces, if any.
        fileprivate func hold(_ newest: consuming Posting) -> Posting? {
            if occurrences < .max { occurrences += 1 }
            // Compare the times: errors aren't exactly in the order in which they were posted.
            firstMoment = firstMoment.map { min($0, newest.moment) } ?? newest.moment
            return exchange(&held, with: newest)
        }

        /// Takes the held error, which then represents the errors that it replaced.
        fileprivate func takeHeld() -> Posting? {
            guard var posting = held.take() else { return nil }
            posting.represent(occurrences, since: firstMoment ?? posting.moment)
            (occurrences, firstMoment) = (0, nil)
            return posting
        }
    }

    private let limit: FloodLimit
    private let maximum: Int
    private var windows: [FloodKind: Window] = [:]
    /// The kinds of the windows in the order in which the windows began, which is the order in which they end.
    private var order = FIFO<(end: Duration, kind: FloodKind)>()
    /// The time of the newest post.
    private var latest = .zero - Duration.longest
    /// The number of held errors.
    private(set) var heldCount = 0

    /// Creates the state for a limit that tracks at most a number of kinds, which must be at least 1.
    init(_ limit: FloodLimit, keeping maximum: Int) {
        self.limit = limit
        self.maximum = maximum
    }

    /// The earliest time at which a held error might have to be delivered; nil if no error is held.
    var nextEnd: Duration? { heldCount == 0 ? nil : order.first?.end }

    /// Removes windows that have ended, up to the first window that holds an error, and returns that error.
    ///
    /// A window must have ended at the given time; by default, every window has.
    @inline(__always)
    mutating func removeWindows(endingBy time: Duration? = nil) -> Posting? {
        while let end = order.first?.end, time.map({ end <= $0 }) ?? true {
            if let held = removeFirstWindow() { return held }
        }
        return nil
    }

    /// Takes a held error after the worker's wait, because no other error is pending.
    ///
    /// If no more errors will be posted, any held error is taken. Otherwise, the error's window must have ended.
    mutating func takeHeld(at time: Duration?, isClosed: Bool) -> Posting? {
        if heldCount == 0 { return nil }
        if isClosed { return removeWindows() }
        return time.flatMap { removeWindows(endingBy: $0) }
    }

    /// Takes the held error whose window began first; the window continues.
    ///
    /// - Complexity: O(number of windows).
    mutating func takeFirstHeld() -> Posting? {
        guard heldCount > 0 else { return nil }
        let holding = order.elements.first { windows[$0.kind]?.isHolding == true }
        return takeHeld(in: holding.flatMap { windows[$0.kind] })
    }

    /// Decides whether an error passes or is held back, given its kind and the time of its post.
    ///
    /// If another error must be delivered first, the caller must call this method again after that delivery. If the
    /// error is held back, the caller must pass it to ``hold(_:in:)`` next.
    mutating func admit(_ kind: FloodKind, at time: Duration) -> Decision {
        // Count the error at the time of the newest post: errors aren't exactly in the order of their times, but
        // windows must end in the order in which they began.
        latest = max(latest, time)
        if let held = removeWindows(endingBy: latest) { return .comesAfter(held) }
        let known = windows[kind]
        while known == nil, windows.count >= maximum {
            if let held = removeFirstWindow() { return .comesAfter(held) }
        }
        let window = known ?? open(kind)
        guard window.passed < limit.first else { return .holds(window) }
        window.passed += 1
        return .passes
    }

    /// Holds back an error in the window that was found for it; returns the error that it replaces, if any.
    ///
    /// The replaced error is suppressed.
    mutating func hold(_ newest: consuming Posting, in window: Window) -> Posting? {
        if !window.isHolding { heldCount += 1 }
        return window.hold(newest)
    }

    private mutating func open(_ kind: FloodKind) -> Window {
        let window = Window()
        windows[kind] = window
        order.append((latest + limit.window.bounded, kind))
        assert(order.count == windows.count, "a kind in the order has no window")
        return window
    }

    /// Removes the oldest window and returns the error held in it.
    private mutating func removeFirstWindow() -> Posting? {
        takeHeld(in: order.popFirst().flatMap { windows.removeValue(forKey: $0.kind) })
    }

    private mutating func takeHeld(in window: Window?) -> Posting? {
        guard let posting = window?.takeHeld() else { return nil }
        heldCount -= 1
        return posting
    }
}
