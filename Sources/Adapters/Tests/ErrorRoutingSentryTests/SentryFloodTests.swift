import ErrorRouting
import Foundation
import Testing

@testable import ErrorRoutingSentry

@Suite("A flood of errors stays bounded while Sentry's server hangs", .timeLimit(.minutes(2)))
struct SentryFloodTests {
    /// An error of ten kilobytes, so that a queue without a bound would take hundreds of megabytes.
    private struct Large: Error, CustomStringConvertible {
        let content = [UInt8](repeating: 1, count: 10_000)

        var description: String { "a large error" }
    }

    /// The figures, which a test prints as a string.
    private struct Figures {
        var posts: [Duration] = []
        var memory: Int
        /// The number of reports that the bus delivered.
        var delivered = 0
        var statistics = SentryStatistics()
        var closing = Duration.zero

        var text: String {
            let sorted = posts.sorted()
            func microseconds(_ share: Double) -> String {
                let index = min(sorted.count - 1, Int(Double(sorted.count) * share))
                return String(format: "%.1f µs", sorted[index] / .microseconds(1))
            }
            return """
                post: median \(microseconds(0.5)), 99.9 % \(microseconds(0.999)), longest \(microseconds(1)); \
                resident memory grew by \(memory >> 10) KiB; closing took \(Int(closing / .milliseconds(1))) ms; \
                \(statistics)
                """
        }
    }

    /// The resident memory in bytes; nil where the system has no such file.
    private static var memory: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4_096 }
    }

    /// Posts 10,000 errors a second for three seconds.
    private static func flood() async throws -> Figures {
        try await FakeSentry.withServer({ _, _ in .hang }) { server in
            let sink = try SentrySink(dsn: server.dsn)
            sink.start()
            let handler = ErrorHandler()
            let before = memory ?? 0
            var figures = Figures(memory: 0)
            // By default, the bus's own queue would hold 82 MB of these errors and hide the size of the sink's queue.
            await withErrorBus(handler: handler, configuration: .init(capacity: 2_048)) { bus in
                bus.observeUntilEnd { sink.receive($0) }
                let begin = ContinuousClock.now
                for millisecond in 0..<3_000 {
                    try? await Task.sleep(until: begin + .milliseconds(millisecond))
                    for _ in 0..<10 {
                        let error = Large()
                        let start = ContinuousClock.now
                        bus.post(error)
                        figures.posts.append(start.duration(to: .now))
                    }
                }
                #expect(await bus.flush(within: .seconds(60)))
                figures.delivered = bus.statistics.unmatched
            }
            figures.memory = (memory ?? 0) - before
            let begin = ContinuousClock.now
            await sink.close(within: .milliseconds(500))
            figures.closing = begin.duration(to: .now)
            figures.statistics = sink.statistics
            return figures
        }
    }

    // Run in a separate process, because the memory is measured.
    @Test func `no post waits, and the memory is bounded`() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let figures = try await Self.flood()
            print("figures: \(figures.text)")
            let statistics = figures.statistics
            #expect(figures.posts.count == 30_000 && figures.delivered > 10_000)
            #expect(statistics.received == figures.delivered && statistics.pending == 0 && statistics.isBalanced)
            // The server never answered, so no event was sent, and no post waited for an answer. At the shutdown, the
            // queue's 256 events were discarded.
            #expect(statistics.sent == 0 && statistics.discarded + statistics.failed == figures.delivered)
            #expect(statistics.reasons[.shutdown] == 256)
            // All errors together take 300 MB, and the errors in the bus's own queue at most 20 MB.
            #expect(figures.memory < 60 << 20)
            // Closing the sink didn't wait for the server, which would not have answered for ten seconds.
            #expect(figures.closing < .seconds(5))
        }
        let output = String(decoding: result.standardOutputContent, as: UTF8.self)
        for line in output.split(separator: "\n") where line.hasPrefix("figures: ") { print("Sentry's flood, \(line)") }
    }
}
