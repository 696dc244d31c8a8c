import FaultServer
import Foundation
import Synchronization
import Testing

extension FaultLab.ServiceLab {
    /// The service gets a signal in the midst of its work.
    @Suite("The service ends in order, and says what it has not finished")
    struct TerminationTests {
        /// Sends requests until some have been answered, then a signal, and goes on until nobody answers.
        private static func load(
            _ process: ServiceProcess,
            _ caller: Caller,
            until count: Int,
            then signal: Int32
        ) async throws -> Answered {
            let answered = Mutex(Answered())
            // Not the one that throws a cancellation: what that means depends on whether the service is ending.
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
                let isMoment = answered.withLock { answered in
                    answered.note(request, answer)
                    return answer != nil && answered.answers.count == count
                }
                if isMoment { process.send(signal) }
            }
            return answered.withLock { $0 }
        }

        @Test func `on SIGTERM it answers what it has begun, tells of every error, and exits with 0`() async throws {
            try await withService { process, caller in
                let answered = try await Self.load(process, caller, until: 300, then: SIGTERM)
                let begin = ContinuousClock.now
                let end = try await process.end()
                #expect(end == .exit(0))
                // 15 seconds for the last requests, 3 for the last errors; the machine may be slow besides.
                #expect(begin.duration(to: .now) < .seconds(60))
                #expect(answered.surprises.isEmpty, "\(answered.surprises.prefix(5))")
                #expect(answered.answers.count >= 300 && answered.unanswered > 0)
                // What nobody got to hear is in the log too, where the connection was closed first.
                let ids = process.lines.filter(\.isAnswered).compactMap { $0.metadata["hb.request.id"] }
                #expect(Set(ids).count == ids.count && answered.failures.isSubset(of: ids))
                // Each with its trace, of which the tracer has told as well.
                let traces = process.lines.filter(\.isAnswered).compactMap { $0.metadata["trace.id"] }
                let spans = process.lines.filter(\.isRequestSpan).compactMap { $0.metadata["trace.id"] }
                #expect(traces.count == ids.count && Set(traces) == Set(spans) && spans.count == ids.count)
                let law = try law(of: process)
                let told = process.lines.count(where: \.isError)
                #expect(law["posted"] == told && law["dropped"] == process.lines.count(where: \.isGivenBack))
                Table.row("SIGTERM", "\(answered.answers.count) answered", "\(law.counts)")
            }
        }

        @Test func `on SIGTERM while the bus is stuck, what cannot be told in time is given back, each error once`()
            async throws
        {
            // Nobody ever answers the call for help, and all errors after it wait.
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
                let law = try law(of: process)
                #expect(law["dropped"] == process.lines.count(where: \.isGivenBack) && law["dropped"] == law["posted"])
                Table.row("SIGTERM, stuck", "\(time)", "\(law.counts)")
            }
        }

        @Test func `a pager that never answers holds up nobody's log, and none of it is given back on SIGTERM`()
            async throws
        {
            try await withService(["PAGER_PATH": "hang"]) { process, caller in
                var answered = Answered()
                for _ in 0..<8 { answered.note(.label, try await caller.send(.label)) }
                for request in ServiceRequest.failures { answered.note(request, try await caller.send(request)) }
                #expect(answered.surprises.isEmpty, "\(answered.surprises)")
                // Each is told while all pages are under way.
                let ids = answered.failures
                for id in ids { try await process.line("the error") { $0.metadata["hb.request.id"] == id } }
                process.send(SIGTERM)
                let end = try await process.end()
                #expect(end == .exit(0))
                expectLoggedOnce(answered, in: process.lines)
                let law = try law(of: process)
                #expect(law["dropped"] == 0 && law["posted"] == process.lines.count(where: \.isError))
            }
        }

        @Test func `after SIGKILL it comes up again, with every order that it had confirmed`() async throws {
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
                    let law = try law(of: process)
                    #expect(law["posted"] == 1)
                }
            }
        }

        @Test func `where it cannot open its database it says why, once, and exits with another status than 0`()
            async throws
        {
            let folder = try TemporaryFolder()
            try await FaultServer.withServer { server in
                let variables = ["DATABASE": folder.path("missing/orders.sqlite")]
                try await ServiceProcess.withProcess(in: folder, supplier: server, variables) { process in
                    let end = try await process.end()
                    #expect(end == .exit(EXIT_FAILURE))
                    let told = process.lines.filter(\.isError)
                    #expect(told.map { $0.metadata["exception.type"] } == ["GRDB.DatabaseError"], "\(told)")
                    let law = try law(of: process)
                    #expect(law["posted"] == 1)
                }
            }
        }

        @Test func `where its port is in use it says so, once, and exits with another status than 0`() async throws {
            let folder = try TemporaryFolder()
            try await FaultServer.withServer { server in
                try await ServiceProcess.withService(in: folder, supplier: server) { first, _ in
                    let port = first.lines.compactMap(\.port).first ?? 0
                    // Another process listens there already.
                    try await ServiceProcess.withProcess(in: folder, supplier: server, ["PORT": "\(port)"]) { second in
                        let end = try await second.end()
                        #expect(end == .exit(EXIT_FAILURE))
                        let told = second.lines.filter(\.isError)
                        #expect(told.count == 1 && told.first?.message.contains("in use") == true, "\(told)")
                        #expect(told.first?.level == "error" && told.first?.metadata["error.scope"] == "Application")
                        let law = try law(of: second)
                        #expect(law["posted"] == 1)
                    }
                }
            }
        }

        private struct Confirmed: Decodable {
            let id: Int
        }
    }
}
