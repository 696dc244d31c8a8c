import ErrorRouting
import ErrorRoutingTesting
import Foundation
import Synchronization

extension StressPlan {
    /// Does what is planned.
    ///
    /// - Returns: What was seen, all but standard error; and what is wrong with it by itself.
    func run() async -> (evidence: StressEvidence, wrong: [String]) {
        let stage = StressStage(self)
        let warden = Task { @concurrent in await tend(stage) }
        let isAlive = await end == .bodyThrows ? runBody(on: stage) : runBus(on: stage)
        // Whoever still works for the bus holds it; when it is gone, all is written that will be.
        let deadline = ContinuousClock.now + .seconds(20)
        while isAlive() || stage.alive.load(ordering: .acquiring) > 0, ContinuousClock.now < deadline {
            await Task.yield()
        }
        warden.cancel()
        await warden.value
        var wrong: [String] = []
        if isAlive() { wrong.append("the bus leaks") }
        let count = stage.alive.load(ordering: .acquiring)
        if count > 0 { wrong.append("\(count) errors leak") }
        return (stage.evidence, wrong)
    }

    private func runBus(on stage: StressStage) async -> () -> Bool {
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
        await clearUp(bus, witness, observers, on: stage)
        return { [weak bus] in bus != nil }
    }

    private func runBody(on stage: StressStage) async -> () -> Bool {
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
        guard let (bus, witness, observers) = parts.withLock({ $0.take() }) else { return { false } }
        await clearUp(bus, witness, observers, on: stage)
        return { [weak bus] in bus != nil }
    }

    private func startObservers(of bus: ErrorBus, on stage: StressStage) -> [Task<Void, Never>] {
        (0..<observerCount).map { id in Task { @concurrent in await observe(bus, id, on: stage) } }
    }

    @concurrent
    private func shutDown(_ bus: ErrorBus, on stage: StressStage) async {
        let reports = await bus.shutdown(within: shutdownLimit)
        stage.note { $0.returned += reports.map(StressEvidence.Seen.init) }
    }

    /// The bus has ended, or never ran: lets go what hangs, and notes what is known now.
    private func clearUp(
        _ bus: ErrorBus,
        _ witness: AsyncStream<ErrorReport>?,
        _ observers: [Task<Void, Never>],
        on stage: StressStage
    ) async {
        while !stage.release(forGood: true) { await Task.yield() }
        for observer in observers { await observer.value }
        if let witness { for await report in witness { stage.note(report) } }
        let statistics = bus.statistics
        stage.note { $0.statistics = statistics }
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
