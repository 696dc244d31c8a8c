import FaultServer
import Foundation
import GRDB
import Synchronization
import Testing

extension FaultLab.ServiceLab {
    /// Sends many requests at the same time.
    ///
    /// Every third request fails; the failures take turns.
    @Suite("Under load the service logs each failure once, and resources don't grow")
    struct ServiceLoadTests {
        /// Locks the database for a while, as another process would.
        private struct DatabaseLock {
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

        @Test func `every failure is logged exactly once, and neither memory nor descriptors grow`()
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
                    let lock = try DatabaseLock(folder)
                    // Warm up first, because pools of connections and threads are opened only once. Use a new caller
                    // each time, so that its connections are closed when descriptors are counted.
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
                                try await lock.hold { await caller.send(requests, note) }
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
                    // The database might open a few more readers, with three files each. If every failed request
                    // leaked, there would be hundreds more.
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
            guard let totals = try? totals(of: process) else { return }
            // Only failed requests and retried attempts are posted.
            let retried = process.lines.count { $0.metadata["retry.attempt"] != nil }
            #expect(totals["posted"] == answered.failures.count + retried && totals["dropped"] == 0)
            Table.row(
                "service load", "\(statuses.sorted { $0.key < $1.key })", "\(retried) retried", "\(totals.counts)")
        }

        /// Returns a number of requests.
        ///
        /// Every third request fails; the failures take turns.
        private static func requests(_ count: Int, isLocked: Bool) -> [ServiceRequest] {
            let failures = ServiceRequest.failures + (isLocked ? [.orderWhileLocked] : [])
            let successes = ServiceRequest.successes + (isLocked ? [] : [.order])
            return (0..<count).map { number in
                let list = number % 3 == 0 ? failures : successes
                return list[number / 3 % list.count]
            }
        }

        /// Returns how many descriptors the process has, without its connections to the supplier, which the supplier
        /// counts.
        ///
        /// A connection that the supplier has just closed might still have a descriptor. So the result is the minimum
        /// over half a second or, if there is a limit, over the time until the count is at most the limit, up to a
        /// minute.
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
