import Foundation
import TestSupport
import Testing

@testable import ErrorRouting

@Suite("Behaviour 25: when the process ends, each bus writes its pending counts", .tags(.behaviour25), .hangLimit)
struct PendingAtExitTests {}

extension PendingAtExitTests {
    private func lines(_ result: ExitTest.Result?) -> [String] {
        result.standardErrorLines.filter { $0.hasPrefix("error-bus:") }
    }

    @Test(
        "a bus that nobody runs, and one with a body that exits the process, write the counts of their pending reports")
    func pending() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
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
                while bus.statistics.deliveryTime == nil { await Task.yield() }
                // A bus that has delivered everything writes nothing.
                await withErrorBus(handler: ErrorHandler().ignore(Numbered.self)) { $0.post(Numbered(6)) }
                withExtendedLifetime(buses) { exit(0) }
            }
        }
        let told = lines(result)
        expect(told.count, equals: 3)
        #expect(told.contains { $0.contains("had 3 pending: posted 3 = ") })
        #expect(told.contains { $0.contains("had 1 pending: posted 1 = ") })
        #expect(told.contains { $0.contains("had 5 pending") })
    }

    @Test("a thread that holds the bus's lock forever doesn't delay the process's end, which writes what it can read")
    func lockHeld() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let bus = ErrorBus(handler: ErrorHandler())
            for number in 1...3 { bus.post(Numbered(number)) }
            let isHeld = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                bus.storage.perform { _ in
                    isHeld.signal()
                    DispatchSemaphore(value: 0).wait()
                }
            }
            // A thread waits for it, because the pool must not be blocked.
            Thread.detachNewThread {
                isHeld.wait()
                exit(0)
            }
            while true { await Task.yield() }
        }
        expect(lines(result).count, equals: 1)
        expect(lines(result).first?.contains("had 3 pending or more"), equals: true)
    }

    @Test("a bus that is released while its figures are read ends there, and delays nothing", arguments: 0..<8)
    func lastReference(_: Int) async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let holder = Locked<ErrorBus?>(ErrorBus(handler: ErrorHandler()))
            let isReady = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                // Unretained: the holder has the last reference.
                let bus = unsafe holder.withLock { unsafe $0.map { unsafe Unmanaged.passUnretained($0) } }
                var looks = 0
                // Continues until the end of the process holds the lock.
                while unsafe bus?._withUnsafeGuaranteedRef({ $0.storage.statisticsIfUnlocked }) != nil {
                    looks += 1
                    if looks == 1_000 { isReady.signal() }
                }
                holder.withLock { $0 = nil }
            }
            Thread.detachNewThread {
                isReady.wait()
                exit(0)
            }
            while true { await Task.yield() }
        }
    }

    @Test("buses come and go while the process ends")
    func comingAndGoing() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            for _ in 0..<4 {
                Thread.detachNewThread {
                    while true { ErrorBus(handler: ErrorHandler()).finish() }
                }
            }
            for _ in 0..<2_000 { await Task.yield() }
            exit(0)
        }
    }
}
