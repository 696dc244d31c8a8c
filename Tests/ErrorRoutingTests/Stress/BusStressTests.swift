import ErrorRouting
import ErrorRoutingTesting
import Foundation
import Synchronization
import TestSupport
import Testing

/// Tests a bus under load.
///
/// A seed determines its callers, what its actions do, its observers, and its end.
///
/// It runs in a separate process, because everything that the bus writes to standard error is read and checked.
///
/// | environment variable | meaning |
/// | --- | --- |
/// | `ERROR_BUS_STRESS_SECONDS` | how long to continue, seed after seed; by default 1, with `ERROR_BUS_LONG` 120 |
/// | `ERROR_BUS_STRESS_SEED` | the first seed, by default 1; if no seconds are given, the only one |
///
/// A seed always produces the same run, except for the threads' timing. To reproduce a failure of a seed, set the seed,
/// some seconds, and `ERROR_BUS_STRESS_REPEAT=1`, which repeats it again and again.
@Suite(
    "Promises 4, 11 to 16, and 18 to 20: they hold under load",
    .tags(
        .promise4, .promise11, .promise12, .promise13, .promise14, .promise15, .promise16, .promise18,
        .promise19, .promise20),
    .hangLimit(minutes: StressTime.minutes))
struct BusStressTests {}

extension BusStressTests {
    @Test("every report has exactly one outcome, in order, and every count agrees, whatever else happens")
    func everything() async throws {
        let log = FileManager.default.temporaryDirectory.path + "/bus-stress-\(UUID().uuidString)"
        try handOver(log, as: "stress log")
        await #expect(processExitsWith: .success) {
            endIfItHangs(after: StressTime.seconds + 300)
            await StressLog(try handedOver("stress log")).fill()
        }
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        let output = (try? String(contentsOfFile: log + ".err", encoding: .utf8)) ?? ""
        // A run that didn't end is the last run in the log, and no line follows it.
        print("stress test:", text.split(separator: "\n").last.map { String($0) } ?? "nothing")
        if !text.hasSuffix("and all is right\n") {
            Issue.record("\(text)\non standard error:\n\(output.prefix(20_000))")
        }
        for name in [log, log + ".err"] { try? FileManager.default.removeItem(atPath: name) }
    }
}

/// The duration of the stress test.
enum StressTime {
    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    static let seed = UInt64(max(0, number("ERROR_BUS_STRESS_SEED") ?? 1))
    static let seconds =
        number("ERROR_BUS_STRESS_SECONDS") ?? (number("ERROR_BUS_STRESS_SEED") != nil ? 0 : isLong ? 120 : 1)
    static let repeats = number("ERROR_BUS_STRESS_REPEAT") != nil
    static let minutes = seconds / 60 + 10
}

extension StressPlan {
    /// Runs according to the plan.
    ///
    /// - Returns: The record, except for standard error, and the leaks that were found.
    func run() async -> (evidence: StressEvidence, wrong: [String]) {
        let stage = StressStage(self)
        let warden = Task { @concurrent in await tend(stage) }
        var bus: ErrorBus? = await end == .bodyThrows ? runBody(on: stage) : runBus(on: stage)
        // Every bus task retains the bus: a worker that was cut off might still post an error.
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

    /// Releases the hanging actions after the end of the bus and notes the observed reports.
    private func clearUp(
        _ witness: AsyncStream<ErrorReport>?,
        _ observers: [Task<Void, Never>],
        on stage: StressStage
    ) async {
        await eventually("the stage releases the hanging actions for good") { stage.release(forGood: true) }
        for observer in observers { await observer.value }
        if let witness { for await report in witness { stage.note(report) } }
    }

    /// Sometimes advances the clock, and releases hanging actions; nothing else in the test sleeps.
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
