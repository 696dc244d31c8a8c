import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "Promise 17: catchingErrors and postingTask lose no error, with or without a bus", .tags(.promise17), .hangLimit
)
struct PostingTaskTests {}

extension PostingTaskTests {
    @Test("catchingErrors returns an optional result without another optional around it, even of optional chaining")
    func optionals() async {
        struct Client { func send() throws {} }
        await withErrorBus(handler: ErrorHandler()) { _ in
            let (missing, client): (Int?, Client?) = (nil, nil)
            expectNil(catchingErrors { missing } as Int?)
            let later = await catchingErrors {
                await Task.yield()
                return missing
            }
            expectNil(later as Int?)
            let sent: Void? = catchingErrors { try client?.send() }
            #expect(sent == nil)
            // Compared with nil, like the result of `try?`, it still shows whether the operation succeeded.
            #expect(catchingErrors { try Client().send() } != nil)
        }
    }

    @Test("postingTask posts to the task's scope or bus, whose end waits for it, and keeps the caller's actor")
    @MainActor func postingTasks() async {
        final class Log { var numbers: [Int] = [] }
        let log = Log()
        let line: UInt = #line + 4
        let recorded = await withRecordedErrors { bus in
            for number in 0..<20 { postingTask { log.numbers.append(number) } }
            bus.scope("scope").bound {
                _ = postingTask(name: "sync", metadata: ["k": "v"]) { throw Numbered(1) }
            }
            await postingTask { throw CancellationError() }.value
        }
        expect(log.numbers, equals: Array(0..<20))
        expect(recorded.reports.map(\.scope), equals: [["scope"], []])
        expect(recorded.reports.map(\.metadata), equals: [["k": "v"], [:]])
        expect(recorded.reports.map(\.role), equals: [.failure, .notice])
        expect(recorded.reports.first?.source.line, equals: line)
        expect(recorded.reports.first?.source.fileID, equals: #fileID)
    }

    @Test("without a bus, postingTask still runs its operation, and an error that it throws goes to standard error")
    func withoutBus() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let tasks = Locked<[Task<Void, Never>]>([])
            let handler = ErrorHandler().on(Numbered.self) { error in
                tasks.withLock { $0.append(postingTask(metadata: ["k": "v"]) { throw Numbered(error.number + 1) }) }
                return .stop
            }
            await handler.handle(Numbered(1))
            for task in tasks.withLock({ $0 }) { await task.value }
        }
        let lines = result.standardErrorLines.map { ErrorLineFields($0) }
        expect(lines.map { $0?["message"] }, equals: ["Numbered(number: 2)"])
        expect(lines.map { $0?["metadata.k"] }, equals: ["v"])
    }
}
