import FaultServer
import Foundation
import Synchronization
import Testing

extension FaultLab.ServiceLab {
    /// Sends the service a signal while it works.
    @Suite("The service shuts down in order, and logs its unfinished work")
    struct TerminationTests {
        /// Sends requests, sends a signal after some answers, and continues until a request has no answer.
        private static func load(
            _ process: ServiceProcess,
            _ caller: Caller,
            until count: Int,
            then signal: Int32
        ) async throws -> Answered {
            let answered = Mutex(Answered())
            // Leave out the request that throws a cancellation: its meaning depends on whether the service is shutting
            // down.
            let all = (ServiceRequest.failures + ServiceRequest.successes + [.order]).filter {
                $0.path != "/stocktaking"
            }
            var number = 0
            let requests = AnyIterator {
                defer { number += 1 }
                return answered.withLock { $0.unanswered == 0 } ? all[number % all.count] : nil
            }
            _ = try await caller.send(.order)
            await caller.send(requests) { request, answer in
                let isTime = answered.withLock { answered in
                    answered.note(request, answer)
                    return answer != nil && answered.answers.count == count
                }
                if isTime { process.send(signal) }
            }
            return answered.withLock { $0 }
        }

        @Test func `on SIGTERM it answers requests that have begun, logs every error, and exits with 0`() async throws {
            try await withService { process, caller in
                let answered = try await Self.load(process, caller, until: 300, then: SIGTERM)
                let begin = ContinuousClock.now
                let end = try await process.end()
                #expect(end == .exit(0))
                // Allow 15 seconds for the last requests, 3 for the last errors, and more for a slow machine.
                #expect(begin.duration(to: .now) < .seconds(60))
                #expect(answered.surprises.isEmpty, "\(answered.surprises.prefix(5))")
                #expect(answered.answers.count >= 300 && answered.unanswered > 0)
                // The log also has errors that weren't sent to any caller, because the connection was closed first.
                let ids = process.lines.filter(\.isAnswered).compactMap { $0.metadata["hb.request.id"] }
                #expect(Set(ids).count == ids.count && answered.failures.isSubset(of: ids))
                // Each error has its trace, which the tracer has logged too.
                let traces = process.lines.filter(\.isAnswered).compactMap { $0.metadata["trace.id"] }
                let spans = process.lines.filter(\.isRequestSpan).compactMap { $0.metadata["trace.id"] }
                #expect(traces.count == ids.count && Set(traces) == Set(spans) && spans.count == ids.count)
                let totals = try totals(of: process)
                let logged = process.lines.count(where: \.isError)
                #expect(totals["posted"] == logged && totals["dropped"] == process.lines.count(where: \.isReturned))
                Table.row("SIGTERM", "\(answered.answers.count) answered", "\(totals.counts)")
            }
        }

        @Test func `on SIGTERM while the bus is stuck, each error that isn't delivered in time is returned once`()
            async throws
        {
            // The pager never answers, and all later errors wait for it.
            try await withService(["PAGER_PATH": "hang", "PAGER_WAITS": "yes"]) { process, caller in
                var answered = Answered()
                answered.note(.label, try await caller.send(.label))
                for request in ServiceRequest.failures { answered.note(request, try await caller.send(request)) }
                #expect(answered.surprises.isEmpty, "\(answered.surprises)")
                let begin = ContinuousClock.now
                process.send(SIGTERM)
                let end = try await process.end()
                #expect(end == .exit(0))
                let time = begin.duration(to: .now)
                #expect(time >= .seconds(3) && time < .seconds(60), "\(time)")
                expectLoggedOnce(answered, in: process.lines)
                let totals = try totals(of: process)
                #expect(
                    totals["dropped"] == process.lines.count(where: \.isReturned)
                        && totals["dropped"] == totals["posted"])
                Table.row("SIGTERM, stuck", "\(time)", "\(totals.counts)")
            }
        }

        @Test func `if a request, a task, and the bus are all stuck, the service still ends within thirty seconds`()
            async throws
        {
            try await withService(["PAGER_PATH": "hang", "PAGER_WAITS": "yes"]) { process, caller in
                let request = ServiceRequest(method: "POST", path: "/labels/9?seconds=600&busy=yes", status: 202)
                let printing = try await caller.send(request)
                let label = try await caller.send(.label)
                #expect(printing.status == 202 && label.status == 500)
                let connection = try Connection(to: caller.port)
                defer { connection.close(resets: false) }
                try connection.write("GET /pickups HTTP/1.1\r\nHost: orders\r\n\r\n")
                // One of the two requests is the request for the metrics.
                try await caller.waitUntilActive("GET", 2)
                let begin = ContinuousClock.now
                process.send(SIGTERM)
                let end = try await process.end()
                #expect(end == .exit(0))
                let time = begin.duration(to: .now)
                #expect(time >= .seconds(15) && time < .seconds(30), "\(time)")
                let totals = try totals(of: process)
                // The third error reports the task that was cut off.
                #expect(totals["posted"] == 3 && totals["dropped"] == process.lines.count(where: \.isReturned))
                Table.row("SIGTERM, all stuck", "\(time)", "\(totals.counts)")
            }
        }

        @Test func `a pager that never answers doesn't delay the log, and SIGTERM leaves no error undelivered`()
            async throws
        {
            try await withService(["PAGER_PATH": "hang"]) { process, caller in
                var answered = Answered()
                for _ in 0..<8 { answered.note(.label, try await caller.send(.label)) }
                for request in ServiceRequest.failures { answered.note(request, try await caller.send(request)) }
                #expect(answered.surprises.isEmpty, "\(answered.surprises)")
                // Each error is logged while all pages are still in progress.
                let ids = answered.failures
                for id in ids { try await process.line("the error") { $0.metadata["hb.request.id"] == id } }
                process.send(SIGTERM)
                let end = try await process.end()
                #expect(end == .exit(0))
                expectLoggedOnce(answered, in: process.lines)
                let totals = try totals(of: process)
                #expect(totals["dropped"] == 0 && totals["posted"] == process.lines.count(where: \.isError))
            }
        }

        @Test func `after SIGKILL it starts again with every order that it has confirmed`() async throws {
            let folder = try TemporaryFolder()
            try await FaultServer.withServer { server in
                let answered = try await ServiceProcess.withService(in: folder, supplier: server) { process, caller in
                    let answered = try await Self.load(process, caller, until: 300, then: SIGKILL)
                    let end = try await process.end()
                    #expect(end == .signal(SIGKILL))
                    return answered
                }
                let confirmed = try answered.answers.values.filter { $0.status == 201 }.map { answer in
                    let order = try JSONDecoder().decode(Confirmed.self, from: answer.body)
                    return ServiceRequest(path: "/orders/\(order.id)", status: 200)
                }
                #expect(confirmed.count > 3)
                try await ServiceProcess.withService(in: folder, supplier: server) { process, caller in
                    var answered = Answered()
                    for request in confirmed + [.order, .label] {
                        answered.note(request, try await caller.send(request))
                    }
                    #expect(answered.surprises.isEmpty, "\(answered.surprises)")
                    process.send(SIGTERM)
                    let end = try await process.end()
                    #expect(end == .exit(0))
                    let totals = try totals(of: process)
                    #expect(totals["posted"] == 1)
                }
            }
        }

        @Test func `if it can't open its database, it logs the reason once and exits with a failure`()
            async throws
        {
            let folder = try TemporaryFolder()
            try await FaultServer.withServer { server in
                let variables = ["DATABASE": folder.path("missing/orders.sqlite")]
                try await ServiceProcess.withProcess(in: folder, supplier: server, variables) { process in
                    let end = try await process.end()
                    #expect(end == .exit(EXIT_FAILURE))
                    let logged = process.lines.filter(\.isError)
                    #expect(logged.map { $0.metadata["exception.type"] } == ["GRDB.DatabaseError"], "\(logged)")
                    let totals = try totals(of: process)
                    #expect(totals["posted"] == 1)
                }
            }
        }

        @Test func `if its port is in use, it logs that once and exits with a failure`() async throws {
            let folder = try TemporaryFolder()
            try await FaultServer.withServer { server in
                try await ServiceProcess.withService(in: folder, supplier: server) { first, _ in
                    let port = first.lines.compactMap(\.port).first ?? 0
                    // Another process already listens on this port.
                    try await ServiceProcess.withProcess(in: folder, supplier: server, ["PORT": "\(port)"]) { second in
                        let end = try await second.end()
                        #expect(end == .exit(EXIT_FAILURE))
                        let logged = second.lines.filter(\.isError)
                        #expect(logged.count == 1 && logged.first?.message.contains("in use") == true, "\(logged)")
                        #expect(
                            logged.first?.level == "error" && logged.first?.metadata["error.scope"] == "Application")
                        let totals = try totals(of: second)
                        #expect(totals["posted"] == 1)
                    }
                }
            }
        }

        private struct Confirmed: Decodable {
            let id: Int
        }
    }
}
