/// A limit on the errors of one kind that a bus delivers in a time window; the bus merges further errors.
///
/// Errors are of the same kind if they have the same type, code (an enum's case; an `NSError`'s domain and code),
/// posting line, path of scopes, and role. Payloads don't count. The bus never holds back or merges a notice, except
/// for a cancellation that was posted as a notice.
///
/// The bus immediately delivers the first few errors in a window. Of any further errors, it holds back only the most
/// recent and delivers it when the window ends. That report's ``ErrorReport/occurrences`` is the number of errors that
/// it represents, and its ``ErrorReport/firstInstant`` is the time at which the oldest of them was posted. The other
/// errors count as suppressed. A window begins with the first error of its kind. The first error of that kind after its
/// end begins the next window.
///
/// The bus tracks the kinds whose windows began most recently, up to half its capacity and never more than 1,024. If it
/// removes a kind, or when it is finished or flushed, it delivers held reports early. Held reports are pending and take
/// capacity: with a capacity of 1, a single held report fills the bus. A caller that waits for an error's outcome
/// receives `.pending` as soon as the error is held back. The delivered report passes through the rules of its scope.
public struct FloodLimit: Sendable {
    /// The number of errors of a kind that the bus immediately delivers in a window.
    public let first: Int
    /// The length of a window.
    public let window: Duration
    /// Returns the kind of an error; nil if the kind consists of type, code, posting line, scope, and role.
    let fingerprint: (@Sendable (ErrorReport) -> String)?

    /// Creates a limit on the errors of one kind.
    ///
    /// - Parameters:
    ///   - first: The number of errors of a kind that the bus immediately delivers in a window. With 0, the bus
    ///     delivers only merged reports. A negative number crashes the program.
    ///   - window: The length of a window, measured with the bus's clock. A length that isn't positive crashes the
    ///     program.
    ///   - fingerprint: Returns the kind of a reported error, which replaces type, code, posting line, and scope.
    ///     Errors with equal strings and the same role are of the same kind. The posting thread calls the closure once
    ///     for each error that the bus accepts, with a report that has no sequence number or outcome yet. Later reports
    ///     wait for the closure, so it should be quick. If the closure posts an error to the same bus, the kind of that
    ///     error consists of its type, code, posting line, scope, and role.
    public init(first: Int, per window: Duration, by fingerprint: (@Sendable (ErrorReport) -> String)? = nil) {
        if first < 0 { fatalError("FloodLimit(first:per:): first must not be negative, but is \(first)") }
        if window <= .zero { fatalError("FloodLimit(first:per:): the window must be positive, but is \(window)") }
        self.first = first
        self.window = window
        self.fingerprint = fingerprint
    }
}

/// The state of a flood limit: decides which errors pass, holds back others, and merges them.
///
/// It is a plain value that receives the time from its caller: the times at which errors were posted and, when no more
/// errors are pending, the clock's time. Therefore the same posts have the same results, regardless of how late the
/// worker reads them. `Held` is a posting in a bus, and a number in tests.
struct FloodLimiter<Held> {
    enum Decision {
        /// The error must be delivered.
        case passes
        /// The error must be held back in this window.
        case holds(WindowIndex)
        /// This held error must be delivered first.
        ///
        /// Its window has ended, or its kind is removed to make room. The payload is boxed because it is rare and
        /// large.
        indirect case comesAfter(Release)
    }

    /// The position of a window; it is valid until the limiter changes.
    struct WindowIndex {
        fileprivate let index: Dictionary<FloodKind, Window>.Index
    }

    /// A held error, which is the newest of its kind, with the number of errors that it represents.
    struct Release {
        private(set) var held: Held
        /// The number of errors that the held error represents.
        private(set) var occurrences = 1
        /// The time at which the oldest of these errors was posted.
        private(set) var firstMoment: Moment

        /// Holds back a newer error instead of this error, and returns this error, which is suppressed.
        mutating func replaceHeld(by newest: consuming Held, posted moment: Moment) -> Held {
            if occurrences < .max { occurrences += 1 }
            // Compare the times: errors aren't exactly in the order in which they were posted.
            firstMoment = min(firstMoment, moment)
            return exchange(&held, with: newest)
        }
    }

    /// The current window of one kind of error.
    fileprivate struct Window {
        var passed = 0
        var held: HeldError?
    }

    /// The held error of a window, in a box so that reading the window doesn't copy a report.
    fileprivate final class HeldError {
        var release: Release

        init(_ release: Release) { self.release = release }
    }

    private let limit: (first: Int, window: Int64)
    private let maximum: Int
    private var windows: [FloodKind: Window] = [:]
    /// The kinds of the windows in the order in which the windows began, which is the order in which they end.
    private var order = FIFO<(end: Int64, kind: FloodKind)>()
    /// The time of the newest post, in nanoseconds.
    private var latest = Int64.min
    /// The number of held errors.
    private(set) var heldCount = 0

    /// Creates the state for a limit that tracks at most a number of kinds, which must be at least 1.
    init(_ limit: FloodLimit, keeping maximum: Int) {
        self.limit = (limit.first, limit.window.bounded.nanoseconds)
        self.maximum = maximum
    }

    /// The earliest time at which a held error might have to be released; nil if no error is held.
    var nextEnd: Duration? { heldCount == 0 ? nil : order.first.map { .nanoseconds($0.end) } }

    /// Removes windows that have ended, up to the first window that holds an error, and returns that error.
    ///
    /// A window must have ended at the given time, in nanoseconds; by default, every window has.
    @inline(__always)
    mutating func release(endingBy moment: Int64 = .max) -> Release? {
        while let end = order.first?.end, end <= moment {
            if let release = removeFirstWindow() { return release }
        }
        return nil
    }

    /// Releases a held error after the worker's wait, because no other error is pending.
    ///
    /// If no more errors will be posted, any held error is released. Otherwise, the error's window must have ended.
    mutating func release(at time: Duration?, isClosed: Bool) -> Release? {
        if heldCount == 0 { return nil }
        if isClosed { return release() }
        return time.flatMap { release(endingBy: $0.nanoseconds) }
    }

    /// Releases the held error whose window began first; the window continues.
    ///
    /// - Complexity: O(number of windows).
    mutating func releaseHeld() -> Release? {
        guard heldCount > 0 else { return nil }
        heldCount -= 1
        let holding = order.elements.first { windows[$0.kind]?.held != nil }
        return holding.flatMap { windows[$0.kind]?.held.take()?.release }
    }

    /// Decides whether an error passes or is held back, given its kind and the time of its post in nanoseconds.
    ///
    /// If another error must be delivered first, the caller must call this method again after that delivery. If the
    /// error is held back, the caller must pass it to ``hold(_:posted:in:)`` next.
    mutating func admit(_ kind: FloodKind, at time: Int64) -> Decision {
        // Count the error at the time of the newest post: errors aren't exactly in the order of their times, but
        // windows must end in the order in which they began.
        latest = max(latest, time)
        if let release = release(endingBy: latest) { return .comesAfter(release) }
        var found = window(of: kind)
        if found == nil {
            while windows.count >= maximum {
                if let release = removeFirstWindow() { return .comesAfter(release) }
            }
            open(kind)
            found = window(of: kind)
        }
        guard let found else { return .passes }
        if windows.values[found].passed < limit.first {
            windows.values[found].passed += 1
            return .passes
        }
        return .holds(WindowIndex(index: found))
    }

    /// Holds back an error in the window that was found for it; returns the error that it replaces, if any.
    ///
    /// The replaced error is suppressed.
    mutating func hold(_ newest: consuming Held, posted moment: Moment, in window: WindowIndex) -> Held? {
        if let held = windows.values[window.index].held { return held.release.replaceHeld(by: newest, posted: moment) }
        windows.values[window.index].held = HeldError(Release(held: newest, firstMoment: moment))
        heldCount += 1
        return nil
    }

    /// Returns the index of a kind's window; nil if the kind has no window.
    @inline(never)  // Inlined, it would copy the kind.
    private func window(of kind: FloodKind) -> Dictionary<FloodKind, Window>.Index? {
        windows.index(forKey: kind)
    }

    private mutating func open(_ kind: FloodKind) {
        windows[kind] = Window()
        order.append((min(latest, .max - limit.window) + limit.window, kind))
        assert(order.count == windows.count, "a kind in the order has no window")
    }

    /// Removes the oldest window and returns the error held in it.
    private mutating func removeFirstWindow() -> Release? {
        guard let held = order.popFirst().flatMap({ windows.removeValue(forKey: $0.kind) })?.held else { return nil }
        heldCount -= 1
        return held.release
    }
}

extension Posting {
    /// Creates the posting that a flood limit releases, which also represents the suppressed errors.
    init(_ release: FloodLimiter<Posting>.Release) {
        self = release.held
        represent(release.occurrences, since: release.firstMoment)
    }
}
