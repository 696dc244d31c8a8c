import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ErrorRouting

/// Another process sends the signal at a random time.
@Suite(
    "Promises 14 to 16 and 26: a service in a flood of errors shuts down in order on SIGTERM",
    .tags(.promise14, .promise15, .promise16, .promise26), .hangLimit)
struct BusTerminationTests {}

extension BusTerminationTests {
    /// The number of processes, which is larger with `ERROR_BUS_LONG`.
    static let count = ProcessInfo.processInfo.environment["ERROR_BUS_LONG"] == "1" ? 300 : 8

    @Test("the process ends by itself, and the outcomes account for every post", .serialized, arguments: 0..<count)
    func termination(number: Int) async throws {
        try handOver(number, as: "termination")
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            endIfItHangs()
            await TerminatedService(try handedOver("termination")).run()
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        let law = output.split(separator: "\n").first { $0.hasPrefix("posted ") }
        #expect(law?.contains(" = ") == true && law?.contains(" + pending 0;") == true, "\(output)")
        print("storm \(number):", law ?? "nothing")
    }
}

/// The service in such a process.
///
/// It posts from several threads until it receives the signal, and a little longer.
private final class TerminatedService: Sendable {
    /// How the service reacts to the signal.
    private enum Answer: CaseIterable {
        case finish, shutdownAtOnce, shutdown, shutdownTwice
    }

    private let answer: Answer
    /// The time of the signal, in milliseconds.
    private let delay: Int
    private let bus: ErrorBus
    private let posted = Atomic<Int>(0)
    private let isEnough = Atomic<Bool>(false)
    private let shutdowns = DispatchGroup()

    init(_ number: Int) {
        var random = SplitMix64(seed: UInt64(number))
        answer = Answer.allCases[number % Answer.allCases.count]
        delay = Int.random(in: 0...50, using: &random)
        let configuration = ErrorBus.Configuration(
            capacity: [1, 64, 1_000, 8_192].randomElement(using: &random) ?? 1,
            floodLimit: number % 3 == 0 ? FloodLimit(first: 100, per: .milliseconds(5)) : nil,
            // Many errors are posted too late.
            lastResort: LastResort { _ in }
        )
        let handler = ErrorHandler()
            .ignore(Zoo.Offline.self)
            .on(Numbered.self) { error in
                if error.number % 1_000 == 7 { throw error }
                return .stop
            }
            .on(matching: .type(Numbered.self).where { $0.number % 500 == 3 }) { _ in
                await Task.yield()
                return .next
            }
        bus = ErrorBus(handler: handler, configuration: configuration)
    }

    func run() async {
        signal(SIGTERM, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
        source.setEventHandler { [self] in terminate() }
        await withCheckedContinuation { continuation in
            // Until then, the process ignores the signal.
            source.setRegistrationHandler { continuation.resume() }
            source.activate()
        }
        async let posting: Void = onThreads(3) { [self] _ in post() }
        sendSignal()
        await bus.run()
        // The counts balance even while the flood continues after the end.
        for _ in 0..<100 where !bus.statistics.isBalanced { fatalError("\(bus.statistics)") }
        isEnough.store(true, ordering: .releasing)
        await posting
        await withCheckedContinuation { continuation in
            shutdowns.notify(queue: .global()) { continuation.resume() }
        }
        source.cancel()
        let (statistics, posted) = (bus.statistics, posted.load(ordering: .acquiring))
        // The remaining reports are notices.
        guard statistics.posted >= posted, statistics.isBalanced else { fatalError("\(posted): \(statistics)") }
        print(statistics)
    }

    private func post() {
        var number = 0
        while !isEnough.load(ordering: .acquiring) {
            switch number % 5 {
            case 0: bus.post(Zoo.Offline())
            case 1: bus.post(Zoo.Timeout(seconds: number))
            default: bus.post(Numbered(number))
            }
            number += 1
        }
        posted.wrappingAdd(number, ordering: .releasing)
    }

    private func terminate() {
        switch answer {
        case .finish: bus.finish()
        case .shutdownAtOnce: shutDown(within: .zero)
        case .shutdown: shutDown(within: .milliseconds(5))
        case .shutdownTwice:
            shutDown(within: .milliseconds(5))
            shutDown(within: .zero)
        }
    }

    private func shutDown(within limit: Duration) {
        shutdowns.enter()
        Task {
            _ = await bus.shutdown(within: limit)
            shutdowns.leave()
        }
    }

    private func sendSignal() {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "sleep \(Double(delay) / 1_000); kill -TERM \(getpid())"]
        do { try process.run() } catch { fatalError("\(error)") }
    }
}
