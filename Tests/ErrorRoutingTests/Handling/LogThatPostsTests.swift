import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorRouting

/// Tests logs that post an error for each entry, because they can't write it.
@Suite("Promise 12: an error that a log posts is delivered but not logged", .tags(.promise12), .hangLimit)
struct LogThatPostsTests {}

extension LogThatPostsTests {
    private struct DiskFull: Error {}

    /// A log that posts an error for each entry.
    private struct Log: Sendable {
        let entries = Journal<String>()
        let lines = Journal<String>()
        let post: @Sendable () -> Void

        init(_ post: @escaping @Sendable () -> Void = { postError(DiskFull()) }) { self.post = post }

        var handler: ErrorHandler {
            .logging { error, _ in
                entries.note("\(type(of: error))")
                post()
            }
        }

        func configuration(_ floodLimit: FloodLimit? = nil) -> ErrorBus.Configuration {
            .init(floodLimit: floodLimit, lastResort: LastResort { lines.note($0) })
        }

        /// Whether the log has one entry, and the last resort has only the line of the error that the log posted.
        func hasOneOfEach() -> Bool {
            entries.entries == ["Offline"] && lines.entries.count == 1
                && lines.entries.allSatisfy { $0.contains("DiskFull") && $0.contains("while an error was logged") }
        }
    }

    @Test("it isn't logged, whether the bus, a scope, or the ambient poster posts it, even to another bus with the log")
    func everyPoster() async {
        let posts: [@Sendable () -> Void] = [
            { ErrorBus.current?.post(DiskFull()) },
            { ErrorBus.current?.scope("files").post(DiskFull(), as: .notice) },
            { postError(DiskFull()) },
            { ErrorBus.current?.catching { throw DiskFull() } },
        ]
        for post in posts {
            let log = Log(post)
            let ended = await withErrorBus(handler: log.handler, configuration: log.configuration()) { bus in
                bus.post(Zoo.Offline())
                return bus
            }
            expect(ended.statistics.unmatched, equals: 2)
            #expect(log.hasOneOfEach(), "\(log.entries.entries) \(log.lines.entries)")
        }

        let other = Locked<ErrorBus?>(nil)
        let log = Log { other.withLock { $0 }?.post(DiskFull()) }
        await withErrorBus(handler: log.handler, configuration: log.configuration()) { second in
            other.withLock { $0 = second }
            await withErrorBus(handler: log.handler, configuration: log.configuration()) { $0.post(Zoo.Offline()) }
            _ = await second.flush(within: .seconds(60))
            expect(second.statistics.unmatched, equals: 1)
        }
        #expect(log.hasOneOfEach(), "\(log.entries.entries) \(log.lines.entries)")
    }

    @Test("in a scope that logs, it isn't logged, and neither is the notice of an action that fails for each error")
    func scopesAndFailures() async {
        let scoped = Log()
        let log = await withErrorBus(handler: ErrorHandler(), configuration: scoped.configuration()) { bus in
            let scope = bus.scope("outer", handler: scoped.handler).scope("inner")
            let log = Log { scope.post(DiskFull()) }
            let logging = bus.scope("log", handler: log.handler)
            logging.post(Zoo.Offline())
            scope.post(Zoo.Offline())
            return log
        }
        expect(log.entries.entries + scoped.entries.entries, equals: ["Offline", "Offline"])

        let failing = Log()
        let handler = failing.handler.overlaid(with: ErrorHandler().always { _ in throw Zoo.Timeout() })
        await withErrorBus(handler: handler, configuration: failing.configuration()) { bus in
            bus.post(Zoo.Offline())
        }
        expect(failing.entries.entries, equals: ["Offline", "ActionFailure"])
    }

    @Test("it isn't logged if an action uses a handler that logs, and is reported once if several presets omit it")
    func innerHandlers() async {
        let arrangements: [@Sendable (ErrorHandler) -> ErrorHandler] = [
            { logging in
                ErrorHandler().always { _, report in
                    await logging.handle(report)
                    return .next
                }
            },
            { logging in logging.overlaid(with: .logging { _, _ in }) },
        ]
        for (index, arrangement) in arrangements.enumerated() {
            let log = Log()
            let handler = arrangement(log.handler)
            await withErrorBus(handler: handler, configuration: log.configuration()) { $0.post(Zoo.Offline()) }
            #expect(log.hasOneOfEach(), "\(index): \(log.entries.entries) \(log.lines.entries)")
        }
    }

    @Test("an error that another thread posts meanwhile is logged, and a flood limit keeps the two apart")
    func othersErrors() async {
        let isFirst = Locked(true)
        let log = Log {
            guard isFirst.withLock({ exchange(&$0, with: false) }), let bus = ErrorBus.current else { return }
            let hasPosted = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                bus.post(Zoo.Timeout())
                hasPosted.signal()
            }
            hasPosted.wait()
        }
        await withErrorBus(handler: log.handler, configuration: log.configuration()) { $0.post(Zoo.Offline()) }
        expect(log.entries.entries, equals: ["Offline", "Timeout"])
        #expect(log.lines.entries.isEmpty)

        let source = ErrorReport.Source()
        for fingerprint in [nil, { @Sendable _ in "same" }] as [(@Sendable (ErrorReport) -> String)?] {
            let flood = Log { ErrorBus.current?.post(Zoo.Offline(), as: .failure, metadata: [:], source: source) }
            let limit = FloodLimit(first: 1, per: .seconds(600), by: fingerprint)
            await withErrorBus(handler: flood.handler, configuration: flood.configuration(limit)) { bus in
                for _ in 0..<2 { await bus.deliver(Zoo.Offline(), as: .failure, metadata: [:], source: source) }
                expect(bus.statistics.suppressed, equals: 0)
                expect(flood.lines.entries.count, equals: 1)
            }
        }
    }

    @Test("a last resort that posts, and a log that handles its own error, finish with a line on standard error")
    func lastResorts() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let count = Locked(0)
            let handler = ErrorHandler.logging { _, _ in
                count.withLock { $0 += 1 }
                postError(DiskFull(), fileID: "Log", line: 1)
            }
            let lastResort = LastResort { _ in postError(DiskFull(), fileID: "LastResort", line: 2) }
            let ended = await withErrorBus(handler: handler, configuration: .init(lastResort: lastResort)) { bus in
                bus.post(Zoo.Offline())
                return bus
            }
            precondition(ended.statistics.posted == 3 && count.withLock { $0 } == 1)

            let own = Locked(ErrorHandler())
            let handling = ErrorHandler.logging { _, _ in
                count.withLock { $0 += 1 }
                _ = own.withLock { $0 }.handleSynchronously(DiskFull(), fileID: "Log", line: 3)
            }
            own.withLock { $0 = handling }
            await handling.handle(Zoo.Offline())
            precondition(count.withLock { $0 } == 2)
        }
        let lines = result.standardErrorLines
        let reason = #"reason="it was posted while an error was logged""#
        expect(lines.count, equals: 2)
        #expect(lines.allSatisfy { $0.contains("DiskFull") && $0.hasSuffix(reason) })
        expect(lines.map { ErrorLineFields($0)?["source"] }, equals: ["LastResort:2", "Log:3"])
    }
}
