import Foundation
import Synchronization
import Testing

extension FaultLab.ServiceLab {
    /// One error over and over, and a limit of how often it is logged.
    @Suite("In a storm")
    struct StormTests {
        @Test func `a storm of one error takes a few lines a second, which tell together how many there were`()
            async throws
        {
            let first = 3
            try await withService(["FLOOD_LIMIT": "\(first)"]) { process, caller in
                let begin = ContinuousClock.now
                let answered = Mutex(Answered())
                let storm = repeatElement(ServiceRequest.label, count: requestCount)
                await caller.send(storm) { request, answer in answered.withLock { $0.note(request, answer) } }
                process.send(SIGTERM)
                let end = try await process.end()
                #expect(end == .exit(0))
                let time = begin.duration(to: .now)
                let lines = process.lines.filter(\.isAnswered)
                #expect(answered.withLock { $0.failures.count } == requestCount)
                #expect(lines.reduce(0) { $0 + $1.occurrences } == requestCount)
                let law = try law(of: process)
                #expect(law["posted"] == requestCount && law["suppressed"] == requestCount - lines.count)
                // In each window the first few, and one that stands for the rest. A window begins with the first error
                // that comes after the one before it.
                let windows = Int(time.components.seconds) + 1
                #expect(lines.count <= windows * (first + 1), "\(lines.count) lines in \(time)")
                Table.row("storm", "\(requestCount) in \(time)", "\(lines.count) lines", "\(law.counts)")
            }
        }
    }
}
