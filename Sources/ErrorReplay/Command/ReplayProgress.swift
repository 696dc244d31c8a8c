import ErrorRouting
import Foundation

/// The progress of a replay, on a terminal line that is updated at intervals.
///
/// Any thread can add to it. The thread that finds that an update is due writes the line.
final class ReplayProgress: Sendable {
    private struct State {
        var lines = 0
        var bytes = 0
        var lastShown = ContinuousClock.now
        var hasShown = false
    }

    private static let interval = Duration.milliseconds(200)

    private let begin = ContinuousClock.now
    private let total: Int?
    private let state = Locked(State())
    private let show: (@Sendable (String) -> Void)?

    /// Creates a progress display.
    ///
    /// `total` is the number of bytes to read, or nil if it is unknown. `show` writes a string to the terminal, or is
    /// nil if there is no terminal.
    init(of total: Int?, show: (@Sendable (String) -> Void)?) {
        self.total = total
        self.show = show
    }

    func add(lines: Int, bytes: Int) {
        guard let show else { return }
        let now = ContinuousClock.now
        let text: String? = state.withLock { state in
            state.lines += lines
            state.bytes += bytes
            guard now - state.lastShown >= Self.interval else { return nil }
            (state.lastShown, state.hasShown) = (now, true)
            return Self.text(state.lines, state.bytes, of: total, after: now - begin)
        }
        if let text { show("\r\(text)\u{1B}[K") }
    }

    /// Removes the line from the terminal.
    func end() {
        if state.withLock({ $0.hasShown }) { show?("\r\u{1B}[K") }
    }

    /// Returns the number of lines, the lines per second, and the remaining time at the current speed.
    static func text(_ lines: Int, _ bytes: Int, of total: Int?, after time: Duration) -> String {
        let seconds = max(time / .seconds(1), 0.001)
        var text = "\(lines) lines, \(Int(Double(lines) / seconds)) a second"
        if let total, bytes > 0 {
            let left = Double(max(total - bytes, 0)) / Double(bytes) * seconds
            text += ", \(Int(left.rounded(.up))) s left"
        }
        return text
    }
}
