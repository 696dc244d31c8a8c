import ErrorRoutingTesting
import Foundation
import StandardErrorWriter
import TestSupport
import Testing

@testable import ErrorRouting

@Suite("Promise 25: when the process ends, each bus writes its pending reports", .tags(.promise25), .hangLimit)
struct PendingAtExitTests {}

extension PendingAtExitTests {
    private func lines(_ result: ExitTest.Result?) -> [String] {
        result.standardErrorLines.filter { $0.hasPrefix("error-bus:") }
    }

    @Test(
        "a bus that never runs, and one with a body that exits the process, write the counts of their pending reports")
    func pending() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            StandardError.exitLimit = .seconds(60)
            let buses = (0..<200).map { _ in ErrorBus(handler: ErrorHandler()) }
            buses[0].becomeRoot()
            for number in 1...3 { postError(Numbered(number)) }
            buses[150].post(Numbered(4))
            let block = DispatchSemaphore(value: 0)
            let slow = ErrorHandler().on(Numbered.self) { _ in
                block.wait()
                return .stop
            }
            await withErrorBus(handler: slow) { bus in
                for number in 1...5 { bus.post(Numbered(number)) }
                await eventually("the slow action has begun") { bus.statistics.deliveryTime != nil }
                // A bus that has delivered all its reports doesn't write lines.
                await withErrorBus(handler: ErrorHandler().ignore(Numbered.self)) { $0.post(Numbered(6)) }
                withExtendedLifetime(buses) { exit(0) }
            }
        }
        let written = lines(result)
        expect(written.count, equals: 3)
        #expect(written.contains { $0.contains("had 3 pending: posted 3 = ") })
        #expect(written.contains { $0.contains("had 1 pending: posted 1 = ") })
        #expect(written.contains { $0.contains("had 5 pending") })
        // Each report is a line with type, message, and source, before the counts. The counts are the last lines.
        let reports = result.standardErrorLines.filter { $0.contains("the process ended before it was delivered") }
        expect(reports.count, equals: 3 + 1 + 5)
        for number in 1...5 { #expect(reports.contains { $0.contains("Numbered(number: \(number))") }) }
        #expect(reports.allSatisfy { $0.contains("PendingAtExitTests.swift:") })
        #expect(result.standardErrorLines.suffix(3).allSatisfy { $0.hasPrefix("error-bus:") })
    }

    @Test("an error whose description never returns doesn't delay the exit, and the errors before it are written")
    func slowDescription() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            struct Slow: Error, CustomStringConvertible {
                var description: String {
                    DispatchSemaphore(value: 0).wait()
                    return ""
                }
            }
            endIfItHangs()
            StandardError.exitLimit = .seconds(3)
            let bus = ErrorBus(handler: ErrorHandler())
            bus.post(Numbered(1))
            bus.post(Slow())
            bus.post(Numbered(2))
            withExtendedLifetime(bus) { exit(0) }
        }
        expect(lines(result).count, equals: 1)
        let counts = "had 3 pending, 2 of which aren't written here: posted 3 = "
        expect(lines(result).first?.contains(counts), equals: true)
        #expect(result.standardErrorLines.contains { $0.contains("Numbered(number: 1)") })
    }

    @Test("at most a mebibyte of reports is written, then the number of others; a custom last resort receives them")
    func manyReports() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            struct Long: Error, CustomStringConvertible {
                let description = String(repeating: "x", count: 8_000)
            }
            endIfItHangs()
            StandardError.exitLimit = .seconds(60)
            let redacted = ErrorBus.Configuration(lastResort: .standardError.redacting { _ in "redacted" })
            let buses = [.init(), redacted].map { ErrorBus(handler: ErrorHandler(), configuration: $0) }
            for _ in 0..<1_000 { buses[0].post(Long()) }
            buses[1].post(Long())
            withExtendedLifetime(buses) { exit(0) }
        }
        let reports = result.standardErrorLines.count { $0.contains("xxxxxxxx") }
        #expect(reports > 0 && reports <= (1 << 20) / 8_000 + 1)
        let written = lines(result)
        expect(written.count, equals: 2)
        let counts = "had 1000 pending, \(1_000 - reports) of which aren't written here: posted 1000 = "
        expect(written.first.map { $0.contains(counts) ? counts : $0 }, equals: counts)
        #expect(!result.standardErrorLines.contains { $0.contains("redacted") && $0.contains("xxxxxxxx") })
    }

    @Test("an error during set-up, before any code runs the bus, is written where the program exits")
    func setUp() async {
        let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            endIfItHangs()
            StandardError.exitLimit = .seconds(60)
            let bus = ErrorBus(handler: .default)
            bus.becomeRoot()
            bus.post(Numbered(1), metadata: ["phase": "set-up"])
            withExtendedLifetime(bus) { exit(1) }
        }
        let line = result.standardErrorLines.first { $0.contains("Numbered(number: 1)") }
        expect(line?.contains("phase=\"set-up\""), equals: true)
    }

    @Test("a thread that holds the bus's lock forever doesn't delay the exit, and readable counts are written")
    func lockHeld() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let bus = ErrorBus(handler: ErrorHandler())
            for number in 1...3 { bus.post(Numbered(number)) }
            let isHeld = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                bus.storage.apply { _ in
                    isHeld.signal()
                    DispatchSemaphore(value: 0).wait()
                }
            }
            // Wait in a thread, because the pool must not be blocked.
            Thread.detachNewThread {
                isHeld.wait()
                exit(0)
            }
            await Gate().wait()
        }
        expect(lines(result).count, equals: 1)
        expect(lines(result).first?.contains("had 3 pending or more"), equals: true)
    }

    @Test("a bus that is released while its counts are read is deallocated without delaying the exit", arguments: 0..<8)
    func lastReference(_: Int) async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let holder = Locked<ErrorBus?>(ErrorBus(handler: ErrorHandler()))
            let isReady = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                // The reference is unretained, so the holder has the last reference.
                let bus = unsafe holder.withLock { unsafe $0.map { unsafe Unmanaged.passUnretained($0) } }
                var reads = 0
                // Continue until the exit handler has taken the bus's reports.
                while unsafe bus?._withUnsafeGuaranteedRef({ $0.storage.hasEnded }) == false {
                    reads += 1
                    if reads == 1_000 { isReady.signal() }
                }
                holder.withLock { $0 = nil }
            }
            Thread.detachNewThread {
                isReady.wait()
                exit(0)
            }
            await Gate().wait()
        }
    }

    @Test("buses are created and released while the process exits")
    func comingAndGoing() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let counts = Locked([0, 0, 0, 0])
            for thread in 0..<4 {
                Thread.detachNewThread {
                    while true {
                        ErrorBus(handler: ErrorHandler()).finish()
                        counts.withLock { $0[thread] += 1 }
                    }
                }
            }
            await eventually("each thread has released a hundred buses") {
                counts.withLock { counts in counts.allSatisfy { $0 >= 100 } }
            }
            exit(0)
        }
    }
}
