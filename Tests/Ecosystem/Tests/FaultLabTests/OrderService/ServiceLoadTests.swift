import FaultServer
import Foundation
import GRDB
import Synchronization
import Testing

extension FaultLab.ServiceLab {
    /// Tests many requests at once; a third of them fail, in every possible way.
    @Suite("Under load the service logs each failure once, and nothing grows")
    struct ServiceLoadTests {
        /// Holds the database for a while, as another process might.
        private struct Holder {
            private let queue: DatabaseQueue

            init(_ folder: TemporaryFolder) throws {
                var configuration = Configuration()
                // Allow a transaction that continues after the call that began it has returned.
                configuration.allowsUnsafeTransactions = true
                queue = try DatabaseQueue(path: folder.path("orders.sqlite"), configuration: configuration)
            }

            func hold(_ body: () async throws -> Void) async throws {
                try await queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
                try await body()
                try await queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            }
        }

        private static let rounds = 10

        @Test func `every answer of 500 or above is logged exactly once, and neither memory nor descriptors grow`()
            async throws
        {
            let folder = try TemporaryFolder()
            try await FaultServer.withServer { server in
                try await ServiceProcess.withService(in: folder, supplier: server) { process, caller in
                    let answered = Mutex(Answered())
                    @Sendable func note(_ request: ServiceRequest, _ answer: Caller.Answer?) {
                        answered.withLock { $0.note(request, answer) }
                    }
                    note(.order, try await caller.send(.order))
                    let idle = ProcessStatus(of: process)
                    let holder = try Holder(folder)
                    // First open the descriptors that are opened only once, such as those of pools. Use a separate
                    // caller, so that its own connections are gone when descriptors are counted.
                    try await Caller.withCaller(port: caller.port) { caller in
                        await caller.send(Self.requests(2 * Caller.width, isLocked: false), note)
                    }
                    let before = try await Self.descriptors(of: process, server)
                    let begin = ContinuousClock.now
                    try await Caller.withCaller(port: caller.port) { caller in
                        for round in 0..<Self.rounds {
                            let isLocked = round % 2 == 0
                            let requests = Self.requests(requestCount / Self.rounds, isLocked: isLocked)
                            if isLocked {
                                try await holder.hold { await caller.send(requests, note) }
                            } else {
                                await caller.send(requests, note)
                            }
                        }
                    }
                    let time = begin.duration(to: .now)
                    let after = try await Self.descriptors(of: process, server, atMost: before.map { $0 + 24 })
                    let peak = ProcessStatus(of: process)
                    process.send(SIGTERM)
                    let end = try await process.end()
                    #expect(end == .exit(0))
                    Self.check(answered.withLock { $0 }, process)
                    guard let idle, let before, let after, let peak else { return }
                    // The database may open some more readers, three files each. A leak by the failed request would be
                    // hundreds.
                    #expect(after <= before + 24, "\(before) descriptors → \(after)")
                    let growth = peak.peakKilobytes - idle.residentKilobytes
                    #expect(growth <= 64 * 1024, "\(growth) KB over idle")
                    Table.row(
                        "service load", "\(requestCount) requests in \(time)", "\(growth) KB over idle",
                        "of \(idle.residentKilobytes) KB", "\(before) → \(after) descriptors")
                }
            }
        }

        private static func check(_ answered: Answered, _ process: ServiceProcess) {
            #expect(answered.surprises.isEmpty, "\(answered.surprises.prefix(5))")
            #expect(answered.unanswered == 0)
            expectLoggedOnce(answered, in: process.lines)
            let statuses = Dictionary(grouping: answered.answers.values, by: \.status).mapValues(\.count)
            #expect(Set(statuses.keys) == [200, 201, 400, 401, 404, 422, 500, 502, 503, 504])
            guard let law = try? law(of: process) else { return }
            // Only failed requests and attempts that were tried again are posted.
            let retried = process.lines.count { $0.metadata["retry.attempt"] != nil }
            #expect(law["posted"] == answered.failures.count + retried && law["dropped"] == 0)
            Table.row("service load", "\(statuses.sorted { $0.key < $1.key })", "\(retried) retried", "\(law.counts)")
        }

        /// Returns requests; every third one fails, each in the next of all ways.
        private static func requests(_ count: Int, isLocked: Bool) -> [ServiceRequest] {
            let failures = ServiceRequest.failures + (isLocked ? [.orderWhileLocked] : [])
            let successes = ServiceRequest.successes + (isLocked ? [] : [.order])
            return (0..<count).map { number in
                let list = number % 3 == 0 ? failures : successes
                return list[number / 3 % list.count]
            }
        }

        /// Returns the number of the service's descriptors without its connections to the supplier, which counts them.
        ///
        /// A connection that the other side has just closed might still be included. So this is the minimum during half
        /// a second or, if there is a limit, until the number falls to the limit, for at most a minute.
        private static func descriptors(
            of process: ServiceProcess,
            _ server: FaultServer,
            atMost limit: Int? = nil
        ) async throws -> Int? {
            var least = Int.max
            var count = 0
            while count < 50 || count < 6_000 && least > limit ?? .max {
                try await Task.sleep(for: .milliseconds(10))
                guard let status = ProcessStatus(of: process) else { return nil }
                least = min(least, status.descriptors - server.openConnections)
                count += 1
            }
            return least
        }
    }
}

extension FaultLab.ServiceLab {
    /// Tests one error that is repeated, and a limit on its log entries.
    @Suite("A flood of one error takes few lines of the log")
    struct StormTests {
        @Test func `a flood of one error takes a few lines per second, which together have the number of errors`()
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
                // Each window has the first few errors, and one that represents the rest. A window begins with the
                // first error after the previous window.
                let windows = Int(time.components.seconds) + 1
                #expect(lines.count <= windows * (first + 1), "\(lines.count) lines in \(time)")
                Table.row("storm", "\(requestCount) in \(time)", "\(lines.count) lines", "\(law.counts)")
            }
        }
    }
}
