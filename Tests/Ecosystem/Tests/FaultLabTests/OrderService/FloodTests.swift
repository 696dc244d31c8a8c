import Foundation
import Synchronization
import Testing

extension FaultLab.ServiceLab {
    /// Tests one error that occurs again and again, with a limit on how often it is logged.
    @Suite("A flood of one error causes few lines in the log")
    struct FloodTests {
        @Test func `a flood of one error causes a few lines a second, whose counts add up to the flood`() async throws {
            let first = 3
            try await withService(["FLOOD_LIMIT": "\(first)"]) { process, caller in
                let begin = ContinuousClock.now
                let answered = Mutex(Answered())
                let flood = repeatElement(ServiceRequest.label, count: requestCount)
                await caller.send(flood) { request, answer in answered.withLock { $0.note(request, answer) } }
                process.send(SIGTERM)
                let end = try await process.end()
                #expect(end == .exit(0))
                let time = begin.duration(to: .now)
                let lines = process.lines.filter(\.isAnswered)
                #expect(answered.withLock { $0.failures.count } == requestCount)
                #expect(lines.reduce(0) { $0 + $1.occurrences } == requestCount)
                let totals = try totals(of: process)
                #expect(totals["posted"] == requestCount && totals["suppressed"] == requestCount - lines.count)
                // Each window has lines for the first few errors and one line for the rest. A window begins with the
                // first error after the previous window.
                let windows = Int(time.components.seconds) + 1
                #expect(lines.count <= windows * (first + 1), "\(lines.count) lines in \(time)")
                Table.row("storm", "\(requestCount) in \(time)", "\(lines.count) lines", "\(totals.counts)")
            }
        }
    }
}
