/// A flood limit as the design explains it, made of arrays that are searched from the front.
///
/// Kinds and held errors are numbers.
struct NaiveFloodLimiter {
    struct Window {
        let kind: Int
        let end: Int
        var passed = 0
        var held: Int?
        var suppressed = 0
        /// When the held and the suppressed errors were posted.
        var times: [Int] = []

        var release: Release? {
            held.map { Release(held: $0, occurrences: 1 + suppressed, since: times.min() ?? 0) }
        }
    }

    struct Release: Equatable {
        let held: Int
        let occurrences: Int
        /// When the oldest of these errors was posted.
        let since: Int
    }

    enum Verdict: Equatable {
        case passes(Int)
        case isHeld(suppressing: Int?)
    }

    let first: Int
    let window: Int
    let maximum: Int
    /// The windows, in the order in which they were opened.
    private(set) var windows: [Window] = []
    /// The time of the newest post.
    private var latest = 0

    init(first: Int, window: Int, maximum: Int) {
        self.first = first
        self.window = window
        self.maximum = maximum
    }

    var heldCount: Int { windows.count { $0.held != nil } }

    /// The number of errors that the held errors represent.
    var heldOccurrences: Int { windows.map { $0.held == nil ? 0 : 1 + $0.suppressed }.reduce(0, +) }

    var nextEnd: Int? { heldCount == 0 ? nil : windows[0].end }

    /// Windows end in the order in which they were opened.
    mutating func release(endingBy time: Int?) -> Release? {
        while !windows.isEmpty, time.map({ windows[0].end <= $0 }) ?? true {
            if let release = close(windows[0].kind) { return release }
        }
        return nil
    }

    /// Releases the error that a flush releases first.
    ///
    /// The error's window continues.
    mutating func releaseHeld() -> Release? {
        guard let index = windows.firstIndex(where: { $0.held != nil }) else { return nil }
        defer { (windows[index].held, windows[index].suppressed, windows[index].times) = (nil, 0, []) }
        return windows[index].release
    }

    mutating func release(toAdmit kind: Int, at time: Int) -> Release? {
        latest = max(latest, time)
        if let release = release(endingBy: latest) { return release }
        if windows.contains(where: { $0.kind == kind }) { return nil }
        while windows.count >= maximum {
            if let release = close(windows[0].kind) { return release }
        }
        return nil
    }

    mutating func admit(_ error: Int, kind: Int, at time: Int) -> Verdict {
        if !windows.contains(where: { $0.kind == kind }) { windows.append(Window(kind: kind, end: latest + window)) }
        for index in windows.indices where windows[index].kind == kind {
            if windows[index].passed < first {
                windows[index].passed += 1
                return .passes(error)
            }
            let before = windows[index].held
            windows[index].held = error
            windows[index].times.append(time)
            windows[index].suppressed += before == nil ? 0 : 1
            return .isHeld(suppressing: before)
        }
        return .passes(error)
    }

    private mutating func close(_ kind: Int) -> Release? {
        for index in windows.indices where windows[index].kind == kind {
            return windows.remove(at: index).release
        }
        return nil
    }
}
