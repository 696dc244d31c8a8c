/// The state of a flood limit: decides which errors pass, holds the others back, and sums them up.
///
/// A plain value, which gets the time from its caller: the moments at which errors were posted, and the clock's time
/// once there are no more errors. So the same posts have the same results, however late the worker gets to them. `Held`
/// is a posting in a bus, and a number in tests.
struct FloodLimiter<Held> {
    enum Decision {
        /// The error is to be delivered.
        case passes
        /// The error is held; the one that was held before it, if there is one, is suppressed.
        case isHeld
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
        private(set) var firstMoment: Moment

        /// Holds a newer error in place of this one, which is suppressed.
        ///
        /// - Returns: The suppressed error.
        mutating func replaceHeld(by newest: consuming Held, posted moment: Moment) -> Held {
            if occurrences < .max { occurrences += 1 }
            // Errors are not quite in the order of their moments.
            firstMoment = min(firstMoment, moment)
            return exchange(&held, with: newest)
        }
    }

    /// One kind of error in one window.
    private struct Window {
        let end: Int64
        var passed = 0
        /// At most one; in an array, so that reading a window copies no report.
        var held: [Release] = []
    }

    private let limit: (first: Int, window: Int64)
    private let maximum: Int
    private var windows: [FloodKind: Window] = [:]
    /// The kinds in the order in which their windows were opened.
    ///
    /// That is nearly the order in which these end. The first kind has a window; later ones may have lost theirs.
    private var order = FIFO<(end: Int64, kind: FloodKind)>()
    /// The number of held errors.
    private(set) var heldCount = 0

    /// - Parameters:
    ///   - limit: The limit.
    ///   - maximum: The number of kinds that are remembered; at least 1.
    init(_ limit: FloodLimit, keeping maximum: Int) {
        self.limit = (limit.first, min(limit.window, BusClock.forever).nanoseconds)
        self.maximum = maximum
    }

    /// The earliest moment at which a held error may have to be released; nil if none is held.
    var nextEnd: Duration? { heldCount == 0 ? nil : order.first.map { .nanoseconds($0.end) } }

    /// Removes windows that have ended, up to the first one that holds an error, and returns that error.
    ///
    /// - Parameter moment: The moment by which a window must have ended, in nanoseconds; by default all end.
    @inline(__always)
    mutating func release(endingBy moment: Int64 = .max) -> Release? {
        while let end = order.first?.end, end <= moment {
            if let release = removeFirstWindow() { return release }
        }
        return nil
    }

    /// Releases a held error while no error comes: one whose window has ended, or any if no more errors will come.
    ///
    /// - Parameters:
    ///   - pause: What the worker has done before.
    ///   - isClosed: Whether no more errors will come.
    mutating func release(after pause: WorkerPause, isClosed: Bool) -> Release? {
        if heldCount == 0 { return nil }
        if isClosed { return release() }
        guard case .waitedUntil(let now) = pause else { return nil }
        return release(endingBy: now.nanoseconds)
    }

    /// Releases the held error whose window was opened first; the window goes on.
    ///
    /// - Complexity: O(number of windows).
    mutating func releaseHeld() -> Release? {
        guard heldCount > 0 else { return nil }
        heldCount -= 1
        let holding = order.elements.first { windows[$0.kind]?.held.isEmpty == false }
        return holding.flatMap { windows[$0.kind]?.held.popLast() }
    }

    /// Decides whether an error passes or is held; if another one has to be delivered first, the caller asks again.
    ///
    /// - Parameters:
    ///   - token: What the limit needs to know of the error.
    ///   - former: Set to the error that was held before this one, if there is one: it is suppressed.
    ///   - error: Returns the error, and when it was posted; called only if it is held.
    mutating func admit(
        _ token: FloodToken, suppressing former: inout Held?, holding error: () -> (Held, Moment)
    ) -> Decision {
        if let release = release(endingBy: token.moment) { return .comesAfter(release) }
        var found = window(of: token)
        // Errors are not quite in the order of their moments, so the window of this kind may have ended although one
        // that was opened before has not.
        if let index = found, windows.values[index].end <= token.moment {
            if let release = removeWindow(at: index) { return .comesAfter(release) }
            found = nil
        }
        if found == nil {
            while windows.count >= maximum {
                if let release = removeFirstWindow() { return .comesAfter(release) }
            }
            open(token)
            found = window(of: token)
        }
        guard let found else { return .passes }
        if windows.values[found].passed < limit.first {
            windows.values[found].passed += 1
            return .passes
        }
        let newest = error()
        if windows.values[found].held.isEmpty {
            windows.values[found].held = [Release(held: newest.0, firstMoment: newest.1)]
            heldCount += 1
        } else {
            former = windows.values[found].held[0].replaceHeld(by: newest.0, posted: newest.1)
        }
        return .isHeld
    }

    /// Returns where the window of an error's kind is; nil if it has none.
    @inline(never)  // Else the kind would be copied.
    private func window(of token: FloodToken) -> Dictionary<FloodKind, Window>.Index? {
        windows.index(forKey: token.kind)
    }

    private mutating func open(_ token: FloodToken) {
        let end = min(token.moment, .max - limit.window) + limit.window
        windows[token.kind] = Window(end: end)
        order.append((end, token.kind))
    }

    /// Removes the window that was opened first, and returns the error that is held in it.
    private mutating func removeFirstWindow() -> Release? {
        let first = order.popFirst().flatMap { windows.index(forKey: $0.kind) }
        let release = first.flatMap { removeWindow(at: $0) }
        // Passes over kinds whose window was removed before its turn.
        while let next = order.first, windows[next.kind]?.end != next.end { _ = order.popFirst() }
        return release
    }

    private mutating func removeWindow(at index: Dictionary<FloodKind, Window>.Index) -> Release? {
        guard let release = windows.remove(at: index).value.held.first else { return nil }
        heldCount -= 1
        return release
    }
}

extension Posting {
    /// What a flood limit releases, which stands for the suppressed errors too.
    init(_ release: FloodLimiter<Posting>.Release) {
        self.init(release.held, standingFor: release.occurrences, since: release.firstMoment)
    }
}
