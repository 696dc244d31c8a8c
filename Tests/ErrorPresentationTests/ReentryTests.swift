import ErrorRouting
import ErrorRoutingTesting
import Foundation
import Observation
import TestSupport
import Testing

@testable import ErrorPresentation

@MainActor
@Suite("P1, P2: user code can call back from anywhere", .tags(.presentation1, .presentation2), .hangLimit)
struct ReentryTests {}

extension ReentryTests {
    @Test("the deinit of a loaded value or a failure can reset the loader or load again")
    func values() async {
        weak var held: Loader<Evil, Evil>?
        let (resets, loads) = (Locked(0), Locked(0))
        do {
            let loader = Loader<Evil, Evil>(errors: nil) { () async throws(Evil) in
                let load = loads.withLock { loads in
                    loads += 1
                    return loads
                }
                let evil = Evil {
                    resets.withLock { $0 += 1 }
                    held?.reset()
                }
                if load % 3 == 0 { throw evil }
                return evil
            }
            held = loader
            for _ in 0..<30 { await loader.load() }
            loader.reset()
            await waitUntil { resets.withLock { $0 } == 30 }
            expectNil(loader.latest)
            #expect(!loader.state.isLoading)
            expect(loader.failureCount, equals: 0)
        }
        expectNil(held)
    }

    @Test("an observer that is notified of a load can reset the loader, and an observer of an alert can close it")
    func observers() async {
        let loader = Loader(errors: nil) { 1 }
        let isFirst = Locked(true)
        withObservationTracking {
            _ = loader.state.isLoading
        } onChange: {
            guard isFirst.withLock({ $0 }) else { return }
            isFirst.withLock { $0 = false }
            MainActor.assumeIsolated { loader.reset() }
        }
        await loader.load()
        // The loader was reset while the load began, so the result is ignored.
        expectNil(loader.state.value)
        #expect(!loader.state.isLoading)

        let presenter = ErrorPresenter(rules: .alerts)
        Self.closeAll(of: presenter)
        for index in 0..<10 { presenter.present(Plain("\(index)")) }
        var closed = 0
        while presenter.alert != nil {
            presenter.closeShown(.alert)
            closed += 1
        }
        // An observer is notified before the next error is shown, so it doesn't close an unseen error.
        expect(closed, equals: 10)
        expect(presenter.statistics, equals: .init(received: 10, shown: 10))
    }

    /// Closes each alert as soon as an observer is notified of the change.
    private static func closeAll(of presenter: ErrorPresenter) {
        withObservationTracking {
            _ = presenter.alert
        } onChange: { [weak presenter] in
            // Capture it weakly: the presenter retains its observers until they are notified.
            MainActor.assumeIsolated {
                guard let presenter else { return }
                closeAll(of: presenter)
                presenter.closeShown(.alert)
            }
        }
    }

    @Test("rules and messages that present, close, and retry errors still finish")
    func rules() async {
        weak var held: ErrorPresenter?
        var depth = 0
        func meddle() {
            guard depth < 20 else { return }
            depth += 1
            let error: any Error = depth % 2 == 0 ? Meddling { meddle() } : Plain("from within \(depth)")
            held?.present(error) { held?.present(Plain("again")) }
            held?.closeShown(.alert)
            held?.dismiss()
            Task { await held?.retry() }
        }
        let act: @MainActor @Sendable () -> Void = { meddle() }
        let presenter = ErrorPresenter(
            rules: ErrorMap(default: .alert)
                .on(Plain.self) { _ in
                    MainActor.assumeIsolated { act() }
                    return .alert
                },
            limit: 3)
        held = presenter
        for index in 0..<5 { presenter.present(Plain("\(index)")) }
        presenter.present(Meddling(act: act))
        await waitUntil { depth == 20 && presenter.inbox.counts == .init() && !presenter.isRetrying }
        #expect(presenter.isSound)
        #expect(presenter.statistics.received >= 26)

        // The stack doesn't grow with the length of such a chain of calls.
        let other = ErrorPresenter(rules: .alerts)
        var links = 0
        func link() {
            links += 1
            if links < 5_000 { other.present(Meddling { link() }) }
        }
        other.present(Meddling { link() })
        await waitUntil { links >= 5_000 && other.inbox.counts == .init() }
        #expect(other.isSound)
    }

    @Test("an error that is released because another error replaces it can present errors itself")
    func replaced() async {
        let presenter = ErrorPresenter(rules: .alerts, limit: 1)
        let receive = presenter.receiver
        func evil(_ text: String) -> any Error {
            EvilRecovery(text: text, evil: Evil { presenter.present(Plain("released")) })
        }
        receive(ErrorReport(error: evil("shown"), source: .init()))
        for index in 0..<20 { receive(ErrorReport(error: evil("\(index)"), source: .init())) }
        for index in 0..<3 { presenter.present(Plain("asked for \(index)")) }
        while presenter.alert != nil { presenter.dismiss() }
        #expect(presenter.isSound)
        expect(presenter.statistics.waiting, equals: 0)
        // These are 21 reports, 3 presented errors, and one error for each released error.
        expect(presenter.statistics.received, equals: 45)
    }
}

/// Calls a closure when it is released.
private final class Evil: Error, Sendable {
    private let onRelease: @MainActor @Sendable () -> Void

    init(_ onRelease: @escaping @MainActor @Sendable () -> Void) { self.onRelease = onRelease }

    // Call it immediately: it is released on the main actor, where the loader and the presenter are used.
    deinit { MainActor.assumeIsolated { onRelease() } }
}

/// Calls a closure when its message is read.
private struct Meddling: LocalizedError {
    let act: @MainActor @Sendable () -> Void

    var errorDescription: String? {
        MainActor.assumeIsolated { act() }
        return "meddling"
    }
}

private struct EvilRecovery: RecoverableError, LocalizedError {
    let text: String
    let evil: Evil

    var errorDescription: String? { text }
    var recoveryOptions: [String] { ["None"] }
    func attemptRecovery(optionIndex: Int) -> Bool { false }
}
