import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorPresentation

/// Three objects, each with a plain model: a presenter that runs operations and observes a bus, a scope, or nothing;
/// another presenter that only observes the bus; and a loader that posts to the bus.
@MainActor
final class Walk {
    static let ignored = "ignored"
    /// The message of a cancellation, which doesn't have its own.
    private static let cancellation = OwnText.unknown

    /// The end of an operation.
    enum Outcome {
        case success, cancellation
        case failure(String)
        /// If the operation presents errors, it presents its failure and then a cancellation. Otherwise it fails.
        case failureThenCancellation(String)
    }

    /// The poster that the presenter observes.
    enum Observed: CaseIterable { case nothing, bus, scope }

    let bus: ErrorBus
    private let scope: ErrorScope
    private var observed = Observed.bus
    private var random: SplitMix64
    let presenter: ErrorPresenter
    let other: ErrorPresenter
    let loader: Loader<Int, any Error>
    private var observation: ErrorObservation?
    private var otherObservation: ErrorObservation?
    private(set) var model: NaivePresenter
    private(set) var otherModel: NaivePresenter
    private(set) var loaderModel = NaiveLoader()

    private let operations = HeldOperations()
    private let loads = HeldOperations()
    /// The retries under way: the task, the error's number, and the effect of the operation's outcome.
    private var retries: [(task: Task<Void, Never>, id: UInt64, hold: Int, title: String?)] = []
    private var running: [(task: Task<Void, Never>, number: UInt64, hold: Int)] = []
    /// Errors that a view might still hold.
    private var seen: [PresentedError] = []

    init(_ bus: ErrorBus, seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let limits = (Int.random(in: 0...3, using: &random), Int.random(in: 0...3, using: &random))
        self.bus = bus
        scope = bus.scope("part", handler: ErrorHandler().ignore(Plain("b3")))
        self.random = random
        presenter = ErrorPresenter(rules: Self.rules, limit: limits.0)
        other = ErrorPresenter(rules: Self.rules, limit: limits.1)
        (model, otherModel) = (NaivePresenter(limit: limits.0), NaivePresenter(limit: limits.1))
        let loads = loads
        loader = Loader(errors: bus) {
            switch await loads.hold() {
            case .success: return 1
            case .cancellation: throw CancellationError()
            case .failure(let text), .failureThenCancellation(let text): throw Plain(text)
            }
        }
        observation = presenter.observe(bus)
        otherObservation = other.observe(bus)
        for presenter in [presenter, other] { presenter.bannerDuration = nil }
    }

    // MARK: Errors

    private static let rules = ErrorMap<PresentationStyle>(default: .alert)
        .on(matching: .extracting(Plain.self) { style(of: $0.text) }) { $0 }

    nonisolated private static func style(of text: String) -> PresentationStyle {
        switch text.first {
        case "n": .hidden
        case "b": .banner
        case "i": .inline
        default: .alert
        }
    }

    private func text() -> String {
        ["a1", "a2", "a3", "b1", "b2", "b3", "i1", "i2", "never", Self.ignored].randomElement(using: &random) ?? ""
    }

    private func outcome() -> Outcome {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .success
        case 1: .cancellation
        case 2: .failureThenCancellation(text())
        default: .failure(text())
        }
    }

    // MARK: Steps

    func step() async -> String {
        note()
        switch Int.random(in: 0..<17, using: &random) {
        case 0...2: return await post()
        case 3: return burst()
        case 4: return present()
        case 5...6: return await run()
        case 7: return dismiss()
        case 8: return setToNil()
        case 9...10: return await beginRetry()
        case 11...12: return await endRetry()
        case 13: return await beginLoad()
        case 14: return await endLoad()
        case 15: return dismissAll()
        default: return observeAnew()
        }
    }

    private func note() {
        for error in [presenter.alert, presenter.banner, presenter.inline] {
            if let error, !seen.contains(error) { seen.append(error) }
        }
    }

    /// Delivers a report to the observers of the bus or the scope.
    ///
    /// - Parameter newError: The shown error; nil if nothing is shown.
    private func receive(_ newError: NaivePresenter.NewError?, isInScope: Bool) {
        if observed == .bus || observed == .scope && isInScope {
            if let newError { model.receive(newError) } else { model.skip() }
        }
        if let newError { otherModel.receive(newError) } else { otherModel.skip() }
    }

    private static func isIgnored(_ text: String, isInScope: Bool) -> Bool {
        text == ignored || isInScope && text == "b3"
    }

    private func post() async -> String {
        let text = text()
        let roles: [ErrorReport.Role] = [.failure, .failure, .failure, .attempt, .notice]
        let role = roles.randomElement(using: &random) ?? .failure
        let isCancellation = Int.random(in: 0..<8, using: &random) == 0
        let isInScope = Bool.random(using: &random)
        let poster: any ErrorPosting = isInScope ? scope.scope("below") : bus
        poster.post(isCancellation ? CancellationError() : Plain(text) as any Error, as: role)
        let message = isCancellation ? Self.cancellation : text
        let isShown = role == .failure && !Self.isIgnored(message, isInScope: isInScope)
        receive(isShown ? .init(message: message, style: Self.style(of: message)) : nil, isInScope: isInScope)
        return "posted \(message) as \(role)"
    }

    /// Posts reports that the main actor doesn't process until an error is presented after them.
    private func burst() -> String {
        let texts = (0..<Int.random(in: 1...4, using: &random)).map { _ in text() }
        for text in texts {
            let count = Int.random(in: 1...3, using: &random)
            let isMarked = Int.random(in: 0..<4, using: &random) == 0
            let error = Plain(text)
            presenter.receiver(
                ErrorReport(
                    error: error, source: .init(), metadata: isMarked ? OwnViewMark.metadata(for: error) : [:],
                    occurrences: count))
            if isMarked {
                model.skip(count)
            } else {
                model.receive(.init(message: text, style: Self.style(of: text), count: count))
            }
        }
        return "a burst of \(texts); then \(present())"
    }

    private func present() -> String {
        let (text, canRetry) = (text(), Bool.random(using: &random))
        var retry: (@MainActor () async -> Void)?
        if canRetry {
            // Capture it weakly: the presenter retains the operation.
            retry = { [weak presenter, operations] in
                switch await operations.hold() {
                case .success: break
                case .cancellation: presenter?.present(CancellationError())
                case .failure(let text): presenter?.present(Plain(text))
                case .failureThenCancellation(let text):
                    presenter?.present(Plain(text))
                    presenter?.present(CancellationError())
                }
            }
        }
        presenter.present(Plain(text), retry: retry)
        model.receive(.init(message: text, style: Self.style(of: text), canRetry: canRetry, isFromUser: true))
        return "presented \(text)\(canRetry ? " with a retry" : "")"
    }

    private func run() async -> String {
        let (first, title) = (outcome(), ["Saving", "Loading"].randomElement(using: &random) ?? "")
        let isCancelled = Int.random(in: 0..<5, using: &random) == 0
        // Use the title to show whether the operation is in the scope, so that the end of a retry can identify it.
        let isInScope = title == "Loading"
        let poster: any ErrorPosting = isInScope ? scope : bus
        var attempts = 0
        let task = Task { [presenter, operations] in
            await presenter.run(failureTitle: title, errors: poster) {
                attempts += 1
                switch attempts == 1 ? first : await operations.hold() {
                case .success: break
                case .cancellation: throw CancellationError()
                case .failure(let text), .failureThenCancellation(let text): throw Plain(text)
                }
            }
        }
        if isCancelled { task.cancel() }
        _ = await task.value
        noteRun(title, first, isCancelled: isCancelled)
        return "ran \(title): \(first)\(isCancelled ? " in a cancelled task" : "")"
    }

    /// Notes the end of an attempt of `run`.
    private func noteRun(_ title: String, _ outcome: Outcome, isCancelled: Bool, retried: UInt64? = nil) {
        guard let text = messages(of: outcome).first else { return }
        // The report of `run` has the mark, so no presenter shows it. A cancelled task doesn't post a cancellation.
        let isInScope = title == "Loading"
        if !isCancelled || text != Self.cancellation { receive(nil, isInScope: isInScope) }
        if isCancelled {
            model.skip()
            if let retried { model.retries[retried]?.isCancelled = true }
        } else {
            let style = Self.isIgnored(text, isInScope: isInScope) ? .hidden : Self.style(of: text)
            model.receive(
                .init(
                    message: text, style: style, title: title, canRetry: true, isFromUser: true, failureOf: retried))
        }
    }

    /// The messages of the errors that an operation throws or presents.
    ///
    /// `run` receives only the first.
    private func messages(of outcome: Outcome) -> [String] {
        switch outcome {
        case .success: []
        case .cancellation: [Self.cancellation]
        case .failure(let text): [text]
        case .failureThenCancellation(let text): [text, Self.cancellation]
        }
    }

    private func dismiss() -> String {
        if Bool.random(using: &random) {
            presenter.dismiss()
            if let id = model.foremost?.id { model.dismiss(id) }
            return "dismissed"
        }
        guard let error = seen.randomElement(using: &random) else { return "nothing" }
        presenter.dismiss(error)
        model.dismiss(error.id)
        return "dismissed \(error.id)"
    }

    private func dismissAll() -> String {
        let text = text()
        presenter.dismissAll(matching: .value(Plain(text)))
        model.dismissAll(text)
        return "dismissed all \(text)"
    }

    private func setToNil() -> String {
        let style = [PresentationStyle.alert, .banner, .inline].randomElement(using: &random) ?? .alert
        switch style {
        case .banner: presenter.closeShown(.banner)
        case .inline: presenter.closeShown(.inline)
        default: presenter.closeShown(.alert)
        }
        if let id = model.shown(style)?.id { model.dismiss(id, keepsRecovery: true) }
        return "\(style) set to nil"
    }

    private func beginRetry() async -> String {
        let isForemost = Int.random(in: 0..<4, using: &random) == 0
        guard let error = isForemost ? presenter.current : seen.suffix(6).randomElement(using: &random) else {
            return "nothing"
        }
        let begins = error.canRetry && !model.spent.contains(error.id) && (!isForemost || model.retries.isEmpty)
        let hold = operations.count
        let task = Task { [presenter] in
            if isForemost { await presenter.retry() } else { await presenter.retry(error) }
        }
        guard begins else {
            await task.value
            return "tried \(error.id) in vain"
        }
        model.beginRetry(error.id)
        await waitUntil { operations.count > hold }
        retries.append((task, error.id, hold, error.title))
        return "tried \(error.id) again"
    }

    private func endRetry() async -> String {
        guard let index = retries.indices.randomElement(using: &random) else { return "nothing" }
        let retry = retries.remove(at: index)
        let (outcome, isCancelled) = (outcome(), Int.random(in: 0..<4, using: &random) == 0)
        await end(retry, outcome, isCancelled: isCancelled)
        return "\(retry.id) ended: \(outcome)\(isCancelled ? " in a cancelled task" : "")"
    }

    private func end(
        _ retry: (task: Task<Void, Never>, id: UInt64, hold: Int, title: String?), _ outcome: Outcome, isCancelled: Bool
    ) async {
        if isCancelled { retry.task.cancel() }
        operations.end(retry.hold, outcome)
        await retry.task.value
        if let title = retry.title {
            noteRun(title, outcome, isCancelled: isCancelled, retried: retry.id)
        } else {
            for text in messages(of: outcome) {
                guard !isCancelled else {
                    model.skip()
                    continue
                }
                model.receive(
                    .init(message: text, style: Self.style(of: text), isFromUser: true, failureOf: retry.id))
            }
            if isCancelled { model.retries[retry.id]?.isCancelled = true }
        }
        model.endRetry(retry.id)
    }

    private func beginLoad() async -> String {
        if Int.random(in: 0..<8, using: &random) == 0 {
            loader.reset()
            loaderModel.reset()
            return "reset"
        }
        let hold = loads.count
        let task = Task { [loader] in await loader.load() }
        await waitUntil { loads.count > hold }
        running.append((task, loaderModel.begin(), hold))
        return "began load \(hold)"
    }

    private func endLoad() async -> String {
        guard let index = running.indices.randomElement(using: &random) else { return "nothing" }
        let load = running.remove(at: index)
        let (outcome, isCancelled) = (outcome(), Int.random(in: 0..<4, using: &random) == 0)
        await end(load, outcome, isCancelled: isCancelled)
        return "load \(load.hold) ended: \(outcome)\(isCancelled ? " in a cancelled task" : "")"
    }

    private func end(
        _ load: (task: Task<Void, Never>, number: UInt64, hold: Int), _ outcome: Outcome, isCancelled: Bool
    ) async {
        if isCancelled { load.task.cancel() }
        loads.end(load.hold, outcome)
        await load.task.value
        switch outcome {
        case .success: loaderModel.end(load.number, .success(1))
        case .cancellation:
            // In a task that isn't cancelled, it counts as a failure, and is posted as a notice.
            loaderModel.end(load.number, isCancelled ? nil : .failure(Plain(Self.cancellation)))
            if !isCancelled { receive(nil, isInScope: false) }
        case .failure(let text), .failureThenCancellation(let text):
            loaderModel.end(load.number, isCancelled ? nil : .failure(Plain(text)))
            receive(nil, isInScope: false)
        }
    }

    private func observeAnew() -> String {
        observed = Observed.allCases.randomElement(using: &random) ?? .nothing
        observation =
            switch observed {
            case .nothing: nil
            case .bus: presenter.observe(bus)
            case .scope: presenter.observe(scope)
            }
        return "observes \(observed)"
    }

    /// Ends all operations under way.
    func end() async {
        for retry in retries { await end(retry, .success, isCancelled: false) }
        for load in running { await end(load, .success, isCancelled: false) }
        (retries, running) = ([], [])
        #expect(await agrees(), "at the end: \(difference)")
        // The shown and the seen errors retain the failed operations.
        seen = []
        for presenter in [presenter, other] {
            while presenter.alert != nil || presenter.banner != nil || presenter.inline != nil { presenter.dismiss() }
        }
    }
}
