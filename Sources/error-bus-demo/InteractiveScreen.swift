import ErrorPresentation
import ErrorRouting
import Foundation
import Observation

/// What a terminal shows of a presenter: each error as some lines that stay, and below them a line that changes.
@MainActor
final class InteractiveScreen {
    enum Event: Sendable {
        case key(UInt8)
        /// Nobody is there to press any.
        case noMoreKeys
        /// The presenter has something else to show.
        case changed
        case progress(String)
    }

    let presenter = ErrorPresenter(rules: .ofIntake, texts: .ofIntake)
    private let onChange: @Sendable () -> Void
    private var shown: PresentedError.ID?
    private var progress = ""

    /// - Parameter onChange: Called when ``Event/changed`` has come to be, on whatever thread.
    init(onChange: @escaping @Sendable () -> Void) {
        self.onChange = onChange
    }

    /// Asks the payment endpoint for a sign of life, which can be tried again.
    func check(_ client: PaymentClient, errors: ErrorScope) async {
        let order = Order(id: "check", customer: "nobody", lines: [])
        await presenter.run("Checking the payment endpoint", errors: errors) { try await client.charge(order) }
    }

    /// Shows what there is to show, and does what the keys say, until the person quits or the task is cancelled.
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
                // Of the error that the person sees: by the time that the key is looked at there may be another one.
                // Not waited for: other keys do something meanwhile.
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

    /// Draws, and will hear of the next change.
    private func draw() {
        let current = withObservationTracking {
            _ = (presenter.waiting, presenter.isRetrying)
            return presenter.current
        } onChange: { [onChange] in
            onChange()
        }
        if let current, current.id != shown { draw(current) }
        shown = current?.id
        drawStatus()
    }

    private func draw(_ error: PresentedError) {
        let lines = [error.message, error.recoverySuggestion].compactMap(\.self)
        let keys = error.canRetry ? "[r] retry  [d] dismiss  [q] quit" : "[d] dismiss  [q] quit"
        // Whatever an error says, it moves no cursor.
        let text = ([error.title ?? "Error"] + lines.map { "    \($0)" }).map { OneLine.escaped($0) } + ["    \(keys)"]
        Console.write("\r\u{1B}[K\(text.joined(separator: "\n"))\n\n")
    }

    private func drawStatus() {
        var parts: [String] = []
        if presenter.isRetrying { parts.append("trying again") }
        if let current = presenter.current { parts.append("×\(current.count), \(presenter.waiting) waiting") }
        if shown == nil { parts.append("no errors") }
        if !progress.isEmpty { parts.append(progress) }
        Console.write("\r\u{1B}[K  \(parts.joined(separator: "; "))")
    }
}
