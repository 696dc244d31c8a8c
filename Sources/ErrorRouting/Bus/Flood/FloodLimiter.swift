/// A limit on the number of errors of one kind that a bus delivers in a time window; the bus merges the others.
///
/// Errors are of one kind if they have the same type, code (an enum's case; an `NSError`'s domain and code), posting
/// line, path of scopes, and role; payloads don't count. The bus never holds back or merges a notice, except that of a
/// cancellation. It delivers the first few errors in a window as they come. The bus holds back the newest of the rest
/// until the window ends and then delivers it. Its ``ErrorReport/occurrences`` is the number of errors that it stands
/// for, and its ``ErrorReport/firstInstant`` is the time at which the oldest of them was posted. The others count as
/// suppressed. A window begins with the first error of its kind, and the next window begins with the first error after
/// the end of that one.
///
/// The bus stores the kinds with the newest windows: at most half its capacity, and at most 1,024. It delivers a held
/// report early if it removes the report's kind, or when the bus is finished or flushed. Held reports are pending and
/// take capacity: with a capacity of 1, a single held report fills the bus. A caller that waits for an error's outcome
/// receives `.pending` as soon as the error is held back. The delivered report goes through the rules of its scope.
public struct FloodLimit: Sendable {
    /// The number of errors of a kind that the bus delivers in a window as they come.
    public let first: Int
    /// The length of a window.
    public let window: Duration
    /// Returns the kind of an error; nil for type, code, posting line, scope, and role.
    let fingerprint: (@Sendable (ErrorReport) -> String)?

    /// Creates a limit on the number of errors of one kind.
    ///
    /// - Parameters:
    ///   - first: The number of errors of a kind that the bus delivers in a window as they come. A negative number
    ///     stops the program; with 0, the bus delivers only merged reports.
    ///   - window: The length of a window, by the bus's clock. A length that isn't positive stops the program.
    ///   - fingerprint: Returns the kind of a reported error, instead of type, code, posting line, and scope. Errors
    ///     with equal strings and the same role are of one kind. The poster calls it once for each error that the bus
    ///     accepts, with a report that has no sequence number and no outcome yet. Later reports wait for it, so it
    ///     should be quick. An error that it posts to the same bus is of its type's kind.
    public init(first: Int, per window: Duration, by fingerprint: (@Sendable (ErrorReport) -> String)? = nil) {
        if first < 0 { fatalError("FloodLimit(first:per:): first must not be negative, but is \(first)") }
        if window <= .zero { fatalError("FloodLimit(first:per:): the window must be positive, but is \(window)") }
        self.first = first
        self.window = window
        self.fingerprint = fingerprint
    }
}

/// The state of a flood limit: decides which errors pass, holds back the others, and merges them.
///
/// It is a plain value that receives the time from its caller: the times at which errors were posted and, once there
/// are no more errors, the clock's time. Therefore the same posts have the same results, however late the worker reads
/// them. `Held` is a posting in a bus and a number in tests.
struct FloodLimiter<Held> {
    enum Decision {
        /// The error must be delivered.
        case passes
        /// The error is held back; the previously held error, if any, is suppressed.
        case isHeld
        /// This held error must be delivered first, because its window has ended or its kind is removed to make room.
        ///
        /// It is boxed because it is rare and large.
        indirect case comesAfter(Release)
    }

    /// A held error: the newest of its kind, with the count of errors that it stands for.
    struct Release {
        private(set) var held: Held
        /// The number of errors that the held error stands for.
        private(set) var occurrences = 1
        /// The time at which the oldest of these errors was posted.
        private(set) var firstMoment: Moment

        /// Holds back a newer error instead of this one, which is suppressed.
        ///
        /// - Returns: The suppressed error.
        mutating func replaceHeld(by newest: consuming Held, posted moment: Moment) -> Held {
            if occurrences < .max { occurrences += 1 }
            // Errors aren't exactly in the order of their times.
            firstMoment = min(firstMoment, moment)
            return exchange(&held, with: newest)
        }
    }

    /// One kind of error in one window.
    private struct Window {
        let end: Int64
        var passed = 0
        var held: HeldError?
    }

    /// The held error of one window, in a box so that reading the window copies no report.
    private final class HeldError {
        var release: Release

        init(_ release: Release) { self.release = release }
    }

    private let limit: (first: Int, window: Int64)
    private let maximum: Int
    private var windows: [FloodKind: Window] = [:]
    /// The kinds in the order in which their windows began.
    ///
    /// That is nearly the order in which the windows end. The first kind has a window; the windows of later kinds might
    /// have been removed.
    private var order = FIFO<(end: Int64, kind: FloodKind)>()
    /// The number of held errors.
    private(set) var heldCount = 0

    /// - Parameters:
    ///   - limit: The limit.
    ///   - maximum: The number of kinds to store; at least 1.
    init(_ limit: FloodLimit, keeping maximum: Int) {
        self.limit = (limit.first, limit.window.bounded.nanoseconds)
        self.maximum = maximum
    }

    /// The earliest time at which a held error might have to be released; nil if none is held.
    var nextEnd: Duration? { heldCount == 0 ? nil : order.first.map { .nanoseconds($0.end) } }

    /// Removes ended windows up to the first one that holds an error, and returns that error.
    ///
    /// - Parameter moment: The time by which a window must have ended, in nanoseconds; by default all windows end.
    @inline(__always)
    mutating func release(endingBy moment: Int64 = .max) -> Release? {
        while let end = order.first?.end, end <= moment {
            if let release = removeFirstWindow() { return release }
        }
        return nil
    }

    /// Releases a held error while no error comes: one with an ended window, or any one if no more errors will come.
    ///
    /// - Parameters:
    ///   - pause: The worker's wait before this call.
    ///   - isClosed: Whether no more errors will come.
    mutating func release(after pause: BusStateMachine.WorkerPause, isClosed: Bool) -> Release? {
        if heldCount == 0 { return nil }
        if isClosed { return release() }
        guard case .waitedUntil(let now) = pause else { return nil }
        return release(endingBy: now.nanoseconds)
    }

    /// Releases the held error of the oldest window; the window continues.
    ///
    /// - Complexity: O(number of windows).
    mutating func releaseHeld() -> Release? {
        guard heldCount > 0 else { return nil }
        heldCount -= 1
        let holding = order.elements.first { windows[$0.kind]?.held != nil }
        return holding.flatMap { windows[$0.kind]?.held.take()?.release }
    }

    /// Decides whether an error passes or is held back; if another one must be delivered first, the caller calls this
    /// again.
    ///
    /// - Parameters:
    ///   - kind: The error's kind.
    ///   - time: The time of its post, in nanoseconds.
    ///   - former: Set to the previously held error, if any, which is suppressed.
    ///   - error: Returns the error and the time of its post; called only if the error is held back.
    mutating func admit(
        _ kind: FloodKind, at time: Int64, suppressing former: inout Held?, holding error: () -> (Held, Moment)
    ) -> Decision {
        if let release = release(endingBy: time) { return .comesAfter(release) }
        var found = window(of: kind)
        // Errors aren't exactly in the order of their times, so this kind's window might have ended although an earlier
        // one hasn't.
        if let index = found, windows.values[index].end <= time {
            if let release = removeWindow(at: index) { return .comesAfter(release) }
            found = nil
        }
        if found == nil {
            while windows.count >= maximum {
                if let release = removeFirstWindow() { return .comesAfter(release) }
            }
            open(kind, at: time)
            found = window(of: kind)
        }
        guard let found else { return .passes }
        if windows.values[found].passed < limit.first {
            windows.values[found].passed += 1
            return .passes
        }
        let newest = error()
        if let held = windows.values[found].held {
            former = held.release.replaceHeld(by: newest.0, posted: newest.1)
        } else {
            windows.values[found].held = HeldError(Release(held: newest.0, firstMoment: newest.1))
            heldCount += 1
        }
        return .isHeld
    }

    /// Returns the index of the window of an error's kind; nil if it has none.
    @inline(never)  // Inlined, it would copy the kind.
    private func window(of kind: FloodKind) -> Dictionary<FloodKind, Window>.Index? {
        windows.index(forKey: kind)
    }

    private mutating func open(_ kind: FloodKind, at time: Int64) {
        let end = min(time, .max - limit.window) + limit.window
        windows[kind] = Window(end: end)
        order.append((end, kind))
    }

    /// Removes the oldest window and returns the error held in it.
    private mutating func removeFirstWindow() -> Release? {
        let first = order.popFirst().flatMap { windows.index(forKey: $0.kind) }
        let release = first.flatMap { removeWindow(at: $0) }
        // Skip entries whose window is gone.
        while let next = order.first, windows[next.kind]?.end != next.end { _ = order.popFirst() }
        return release
    }

    private mutating func removeWindow(at index: Dictionary<FloodKind, Window>.Index) -> Release? {
        guard let held = windows.remove(at: index).value.held else { return nil }
        heldCount -= 1
        return held.release
    }
}

extension Posting {
    /// Creates the posting that a flood limit releases, which also stands for the suppressed errors.
    init(_ release: FloodLimiter<Posting>.Release) {
        self = release.held
        stand(for: release.occurrences, since: release.firstMoment)
    }
}
