import BoundedDescriptions
import ErrorPresentation
import ErrorRouting
import Foundation
import Observation

/// Shows a presenter in a terminal: each error as lines that stay, and below them a status line that is overwritten.
@MainActor
final class InteractiveScreen {
    enum Event: Sendable {
        case key(UInt8)
        /// The input has ended.
        case noMoreKeys
        /// The presenter has changed.
        case changed
        case progress(String)
    }

    let presenter = ErrorPresenter(rules: .ofIntake, texts: .ofIntake)
    private let onChange: @Sendable () -> Void
    private var shown: PresentedError?
    private var progress = ""

    /// - Parameter onChange: Called on any thread when the presenter changes; the caller then sends ``Event/changed``.
    init(onChange: @escaping @Sendable () -> Void) {
        self.onChange = onChange
        // A terminal has no place for a line that goes by itself.
        presenter.bannerDuration = nil
    }

    /// Checks that the payment endpoint responds; the person can retry a failed check.
    func check(_ client: PaymentClient, errors: ErrorScope) async {
        let order = Order(id: "check", customer: "nobody", lines: [])
        await presenter.run(failureTitle: "The payment endpoint does not respond", errors: errors) {
            try await client.charge(order)
        }
    }

    /// Shows errors and handles keys until the person quits or the task is cancelled.
    func run(_ events: AsyncStream<Event>) async {
        Console.writeLine("Errors are shown one at a time. Keys: r retry, d dismiss, q quit.\n")
        draw()
        for await event in events {
            switch event {
            case .changed:
                draw()
            case .progress(let line):
                progress = line.trimmingCharacters(in: .whitespacesAndNewlines)
                drawStatus()
            case .key(UInt8(ascii: "r")):
                // Retries the error that the person sees; the presenter may have another one by now. The task is not
                // awaited, so that other keys work meanwhile.
                if let shown { Task { await presenter.retry(shown) } }
            case .key(UInt8(ascii: "d")):
                if let shown { presenter.dismiss(shown) }
            case .key(UInt8(ascii: "q")), .key(4), .noMoreKeys:
                return
            case .key:
                break
            }
        }
    }

    /// Draws the presenter's state, and registers for its next change.
    private func draw() {
        let current = withObservationTracking {
            _ = (presenter.statistics, presenter.isRetrying)
            return presenter.alert ?? presenter.banner
        } onChange: { [onChange] in
            onChange()
        }
        if let current, current.id != shown?.id { draw(current) }
        shown = current
        drawStatus()
    }

    private func draw(_ error: PresentedError) {
        let lines = [error.message, error.recoverySuggestion].compactMap(\.self)
        let keys = error.canRetry ? "[r] retry  [d] dismiss  [q] quit" : "[d] dismiss  [q] quit"
        // Escaped, so that an error's text cannot move the cursor.
        let text = ([error.title ?? "Error"] + lines.map { "    \($0)" }).map { OneLine.escaped($0) } + ["    \(keys)"]
        Console.write("\r\u{1B}[K\(text.joined(separator: "\n"))\n\n")
    }

    private func drawStatus() {
        var parts: [String] = []
        if presenter.isRetrying { parts.append("trying again") }
        if let shown { parts.append("×\(shown.count), \(presenter.statistics.waiting) waiting") }
        if shown == nil { parts.append("no errors") }
        if !progress.isEmpty { parts.append(progress) }
        Console.write("\r\u{1B}[K  \(parts.joined(separator: "; "))")
    }
}
