import ErrorRouting
import ErrorRoutingTesting
import Testing

@testable import ErrorPresentation

extension Walk {
    /// Waits until every posted error reaches the presenters, then compares them with their models.
    func agrees() async -> Bool {
        let isFlushed = await bus.flush(within: .seconds(600))
        #expect(isFlushed)
        var isBalanced = true
        await waitUntil {
            isBalanced = isBalanced && presenter.isSound && other.isSound
            return presenter.inbox.counts == .init() && other.inbox.counts == .init()
                && presenter.settled == presenter.statistics && other.settled == other.statistics
        }
        return isBalanced && difference.isEmpty
    }

    /// The differences as a string; empty if there are none.
    var difference: String {
        var lines: [String] = []
        func compare(_ what: String, _ real: some CustomStringConvertible, _ model: some CustomStringConvertible) {
            if "\(real)" != "\(model)" { lines.append("\(what): \(real), and not \(model)") }
        }
        for (name, presenter, model) in [("presenter", presenter, model), ("other", other, otherModel)] {
            compare(name, "\(presenter.statistics)", "\(model.statistics)")
            let styles: [(PresentationStyle, PresentedError?)] = [
                (.alert, presenter.alert), (.banner, presenter.banner), (.inline, presenter.inline),
            ]
            for (style, error) in styles {
                let real = error.map { "\($0.id) \($0.title ?? "") \($0.message) ×\($0.count) \($0.canRetry)" }
                let naive = model.shown(style).map {
                    "\($0.id) \($0.newError.title ?? "") \($0.newError.message) ×\($0.count) \($0.canRetry)"
                }
                compare("\(name)'s \(style)", real ?? "none", naive ?? "none")
            }
            compare("\(name) retries", presenter.isRetrying, !model.retries.isEmpty)
        }
        compare("the loader's state", Self.text(of: loader.state), Self.text(of: loaderModel.state))
        compare("its failures", loader.failureCount, loaderModel.failureCount)
        return lines.joined(separator: "\n")
    }

    private static func text<Failure>(of state: LoadState<Int, Failure>) -> String {
        if let error = state.error { "failed: \(OwnText(error).message ?? OwnText.unknown)" } else { "\(state)" }
    }
}
