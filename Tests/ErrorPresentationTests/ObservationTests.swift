import ErrorRouting
import ErrorRoutingTesting
import Observation
import TestSupport
import Testing

@testable import ErrorPresentation

/// Observation merges changes, and guarantees only that observers receive the last state.
@MainActor
@Suite("P1, P2: an observer receives the last state", .tags(.presentation1, .presentation2), .hangLimit)
struct ObservationTests {}

extension ObservationTests {
    @Test("a loader that loads, fails, reloads and is reset shows its last state")
    func loader() async {
        let flaky = Flaky(failures: 50)
        let loader = Loader(errors: nil) { try flaky.run() }
        let seen = Seen { (loader.state.value, loader.latest, loader.failureCount) }
        for _ in 0..<51 { await loader.load() }
        await waitUntil { seen.last.0 == 51 && seen.last.1 == 51 && seen.last.2 == 0 }
        loader.reset()
        await waitUntil { seen.last.0 == nil && seen.last.1 == nil }
    }

    @Test("P1: a loader doesn't notify observers if its state stays, when a second load begins or is overtaken")
    func nothingToSee() async {
        let gates = [Gate(), Gate()]
        var begun = 0
        let loader = Loader(errors: nil) {
            let load = begun
            begun += 1
            await gates[load].wait()
            return load
        }
        let first = Task { await loader.load() }
        await waitUntil { begun == 1 }
        let isNotified = Locked(false)
        withObservationTracking {
            _ = (loader.state.isLoading, loader.latest, loader.failureCount)
        } onChange: {
            isNotified.withLock { $0 = true }
        }
        let second = Task { await loader.load() }
        await waitUntil { begun == 2 }
        #expect(!isNotified.withLock { $0 })
        gates[0].open()
        await first.value
        #expect(!isNotified.withLock { $0 })
        #expect(loader.state.isLoading)
        gates[1].open()
        await second.value
        #expect(isNotified.withLock { $0 })
        expect(loader.state.value, equals: 1)
    }

    @Test("a presenter that observes a bus notifies observers of its last state and of retries under way")
    func presenter() async {
        let presenter = ErrorPresenter(rules: .alerts, limit: 3)
        let current = Seen { presenter.current?.message }
        let numbers = Seen { [presenter.waiting, presenter.discarded] }
        let statistics = Seen { presenter.statistics }
        await withErrorBus(handler: ErrorHandler().ignore(Plain("ignored"))) { bus in
            let observation = presenter.observe(bus)
            for index in 0..<10 { bus.post(Plain("\(index)")) }
            bus.post(Plain("ignored"))
            await waitUntil { current.last == "0" && numbers.last == [3, 6] }
            await waitUntil {
                statistics.last == .init(received: 11, shown: 1, waiting: 3, discarded: 6, neverShown: 1)
            }
            withExtendedLifetime(observation) {}
        }
        presenter.dismiss()
        await waitUntil { current.last == "1" && numbers.last == [2, 6] }
        for _ in 0..<3 { presenter.dismiss() }
        await waitUntil { current.last == .some(nil) && numbers.last == [0, 6] }
        let (gate, isRetrying) = (Gate(), Seen { presenter.isRetrying })
        presenter.present(Plain("no")) { await gate.wait() }
        let retry = Task { await presenter.retry() }
        await waitUntil { isRetrying.last }
        gate.open()
        await retry.value
        await waitUntil { !isRetrying.last }
    }

    @Test("an observer that calls back within a change loses no event")
    func reentrance() {
        let presenter = ErrorPresenter(rules: .alerts)
        let isFirst = Locked(true)
        withObservationTracking {
            _ = presenter.current
        } onChange: {
            // A change here notifies this observer again.
            guard isFirst.withLock({ exchange(&$0, with: false) }) else { return }
            MainActor.assumeIsolated {
                presenter.present(Plain("within"))
                presenter.dismiss()
            }
        }
        presenter.present(Plain("outer"))
        expect(presenter.current?.message, equals: "within")
        expect(presenter.statistics, equals: .init(received: 2, shown: 2))
    }
}

private func exchange<Value>(_ value: inout Value, with other: Value) -> Value {
    defer { value = other }
    return value
}

/// Observes a value as SwiftUI does: reads it again after each change, and keeps the last value.
@MainActor
private final class Seen<Value: Sendable> {
    private(set) var last: Value
    private let read: @MainActor () -> Value

    init(_ read: @escaping @MainActor () -> Value) {
        self.read = read
        last = read()
        observe()
    }

    private func observe() {
        last = withObservationTracking(read) { Task { @MainActor [weak self] in self?.observe() } }
    }
}
