import Contenders
import ErrorRouting
import Foundation
import Synchronization

/// Posts millions of errors to a bus whose action is stuck, and fails if memory grows or an error isn't counted.
@main
enum PostMemory {
    private static let callers = 4
    private static let million = 1_000_000
    /// How much the process can grow after the bus is full.
    ///
    /// The limit leaves a few pages for the allocator and each thread. If the bus retained even some bytes per error,
    /// ten million errors would take hundreds of MiB.
    private static let allowedGrowth = 8 * 1_048_576

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count < 2, let millions = Int(arguments.first ?? "10"), millions > 0 else {
            FileHandle.standardError.write(Data("usage: post-memory [MILLIONS]\n".utf8))
            exit(64)
        }
        let failures = try await check(millions: millions)
        for failure in failures { print("FAILED \(failure)") }
        exit(failures.isEmpty ? 0 : 1)
    }

    @concurrent
    private static func check(millions: Int) async throws -> [String] {
        let (door, doorOpener) = AsyncStream<Never>.makeStream()
        let (entries, entered) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let notices = Mutex((number: 0, errors: 0))
        let handler = ErrorHandler()
            .on(E1.self) { _ in
                entered.yield()
                for await _ in door {}
                return .stop
            }
            .on(ErrorsDropped.self) { dropped in
                notices.withLock { $0 = ($0.number + 1, $0.errors + dropped.count) }
                return .stop
            }
        let configuration = ErrorBus.Configuration(actionTimeLimit: nil)
        let bus = ErrorBus(handler: handler, configuration: configuration)
        let loop = Task.detached { await bus.run() }

        // Format the first figure now: formatting loads some MiB of system libraries, which must not count as growth.
        print("at the start:       \(try ResidentMemory.read())")

        // Block the bus: its action waits for this error until the end.
        bus.post(E1())
        for await _ in entries { break }
        // Fill the bus with more errors than it can hold; it drops the remaining errors.
        let warmUp = configuration.capacity * 4
        await post(warmUp, to: bus)
        let full = try ResidentMemory.read()
        print("the bus is full:    \(full)")

        var growth = 0
        for number in 1...millions {
            progress("posting million \(number) of \(millions) …")
            await post(million, to: bus)
            let memory = try ResidentMemory.read()
            growth = max(growth, memory.current - full.current, (memory.peak ?? 0) - (full.peak ?? 0))
            progress("")
            print("\(number) million posted: \(memory)")
        }

        doorOpener.finish()
        bus.finish()
        await loop.value
        let statistics = bus.statistics
        print("\(statistics); grown by \(ResidentMemory.megabytes(growth))")

        var failures: [String] = []
        func expect(_ isMet: Bool, _ failure: @autoclosure () -> String) { if !isMet { failures.append(failure()) } }
        expect(
            growth <= allowedGrowth,
            "memory grew by \(ResidentMemory.megabytes(growth)), more than \(ResidentMemory.megabytes(allowedGrowth))")
        // The bus accepts the error that is being delivered and as many other errors as its capacity allows.
        let posts = 1 + warmUp + millions * million
        let taken = 1 + configuration.capacity
        let announced = notices.withLock { $0 }
        expect(statistics.posted == statistics.counts.reduce(0) { $0 + $1.value }, "the statistics do not balance")
        expect(
            statistics.posted == posts + announced.number,
            "posted: \(statistics.posted), not \(posts) posts and \(announced.number) notices")
        expect(statistics.dropped == posts - taken, "dropped: \(statistics.dropped), not \(posts - taken)")
        expect(
            statistics.handled == taken + announced.number,
            "handled: \(statistics.handled), not \(taken) errors and \(announced.number) notices")
        expect(
            announced.errors == posts - taken, "announced as dropped: \(announced.errors), not \(posts - taken)")
        return failures
    }

    /// Posts from several tasks at the same time.
    private static func post(_ count: Int, to bus: ErrorBus) async {
        await withTaskGroup { group in
            for _ in 0..<callers {
                group.addTask { @concurrent in
                    for _ in 0..<(count / callers) { bus.post(E1()) }
                }
            }
        }
    }

    private static func progress(_ text: String) {
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
    }
}
