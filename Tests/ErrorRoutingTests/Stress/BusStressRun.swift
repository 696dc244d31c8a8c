import ErrorRouting
import ErrorRoutingTesting
import Foundation
import Synchronization
import TestSupport

extension StressPlan {
    /// Does what is planned.
    ///
    /// - Returns: What was seen, all but standard error; and what is wrong with it by itself.
    func run() async -> (evidence: StressEvidence, wrong: [String]) {
        let stage = StressStage(self)
        let warden = Task { @concurrent in await tend(stage) }
        var bus: ErrorBus? = await end == .bodyThrows ? runBody(on: stage) : runBus(on: stage)
        // Whoever still works for the bus holds it: a worker that was cut off may still post.
        var wrong: [String] = []
        if await !isTrueSoon({ isKnownUniquelyReferenced(&bus) }) { wrong.append("the bus leaks") }
        if let statistics = bus?.statistics { stage.note { $0.statistics = statistics } }
        bus = nil
        if await !isTrueSoon({ stage.alive.load(ordering: .acquiring) == 0 }) { wrong.append("errors leak") }
        warden.cancel()
        await warden.value
        return (stage.evidence, wrong)
    }

    private func isTrueSoon(_ condition: () -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(20)
        while !condition() {
            if ContinuousClock.now > deadline { return false }
            await Task.yield()
        }
        return true
    }

    private func runBus(on stage: StressStage) async -> ErrorBus? {
        let bus = ErrorBus(handler: .stress(on: stage, self), configuration: configuration)
        let witness = isWitnessed && end != .letGo ? bus.reports(bufferingNewest: .max) : nil
        let observers = startObservers(of: bus, on: stage)
        let posting = Task { @concurrent in await post(to: bus, on: stage) }
        let running = end == .letGo ? nil : Task { @concurrent in await bus.run() }
        await stage.endIsDue.wait()
        switch end {
        case .finishAtLast:
            await posting.value
            bus.finish()
        case .finish:
            bus.finish()
        case .cancellation:
            running?.cancel()
        case .shutdown:
            await shutDown(bus, on: stage)
        case .twoShutdowns:
            async let first: Void = shutDown(bus, on: stage)
            async let second: Void = shutDown(bus, on: stage)
            _ = await (first, second)
        case .letGo, .bodyThrows:
            break
        }
        await running?.value
        stage.hasEnded = true
        await posting.value
        await clearUp(witness, observers, on: stage)
        return bus
    }

    private func runBody(on stage: StressStage) async -> ErrorBus? {
        struct Over: Error {}
        let parts = Locked<(bus: ErrorBus, witness: AsyncStream<ErrorReport>?, observers: [Task<Void, Never>])?>(nil)
        do throws(Over) {
            let handler = ErrorHandler.stress(on: stage, self)
            try await withErrorBus(handler: handler, configuration: configuration) { bus throws(Over) in
                let witness = isWitnessed ? bus.reports(bufferingNewest: .max) : nil
                let observers = startObservers(of: bus, on: stage)
                parts.withLock { $0 = (bus, witness, observers) }
                bus.task { @concurrent in await post(to: bus, on: stage) }
                await stage.endIsDue.wait()
                throw Over()
            }
        } catch {
            stage.hasEnded = true
        }
        guard let (bus, witness, observers) = parts.withLock({ $0.take() }) else { return nil }
        await clearUp(witness, observers, on: stage)
        return bus
    }

    private func startObservers(of bus: ErrorBus, on stage: StressStage) -> [Task<Void, Never>] {
        (0..<observerCount).map { id in Task { @concurrent in await observe(bus, id, on: stage) } }
    }

    @concurrent
    private func shutDown(_ bus: ErrorBus, on stage: StressStage) async {
        let reports = await bus.shutdown(within: shutdownLimit)
        stage.note { $0.returned += reports.map(StressEvidence.Seen.init) }
    }

    /// The bus has ended, or never ran: lets go what hangs, and notes what was observed.
    private func clearUp(
        _ witness: AsyncStream<ErrorReport>?,
        _ observers: [Task<Void, Never>],
        on stage: StressStage
    ) async {
        while !stage.release(forGood: true) { await Task.yield() }
        for observer in observers { await observer.value }
        if let witness { for await report in witness { stage.note(report) } }
    }

    /// Moves the clock, and lets go what hangs, now and then: the only one in the test who sleeps, being time itself.
    @concurrent
    private func tend(_ stage: StressStage) async {
        var random = SplitMix64(seed: seed &* 3)
        while !Task.isCancelled {
            try? await Task.sleep(for: .microseconds(100))
            clock?.advance(by: .milliseconds(1))
            if Int.random(in: 0..<100, using: &random) < releasePercent { stage.release() }
        }
    }
}
