import AsyncHTTPClient
import ErrorRouting
import ErrorRoutingHummingbird
import ErrorRoutingLifecycle
import ErrorRoutingTesting
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import ServiceLifecycleTestKit
import Synchronization
import Testing

/// Runs whole applications: with services, processes before the server starts, and `runService()`.
@Suite("An application that reports to a bus still starts, runs, and ends in order", .timeLimit(.minutes(2)))
struct RunServiceTests {
    private struct Broken: Error, Equatable { let name: String }

    /// The events in order.
    private final class Events: Sendable {
        private let state = Mutex<[String]>([])

        var all: [String] { state.withLock { $0 } }

        func add(_ event: String) { state.withLock { $0.append(event) } }
    }

    /// A client that must be used before it ends.
    private final class Client: Service {
        private let events: Events
        private let isOpen = Mutex(true)

        init(_ events: Events) { self.events = events }

        func use() throws { if !isOpen.withLock({ $0 }) { throw Broken(name: "the client has ended") } }

        func run() async throws {
            events.add("client starts")
            try? await gracefulShutdown()
            isOpen.withLock { $0 = false }
            events.add("client ends")
        }
    }

    private let events = Events()
    private let quiet = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }

    private func bus() -> ErrorBusService {
        let handler = ErrorHandler().always { [events] error, report in
            events.add("\(error) in \(report.scope)")
            return .next
        }
        return ErrorBusService(handler: handler, logger: quiet)
    }

    /// Builds an application with a client, a process before its start, and a route whose task outlives the request.
    private func application(
        _ client: Client, whileTaskRuns gate: Gate, onServerRunning: @escaping @Sendable (any Channel) async -> Void
    ) -> some ApplicationProtocol {
        let events = events
        let router = Router()
        router.addMiddleware { ErrorReportingMiddleware() }
        router.post("orders") { _, _ in
            let errors: any ErrorPosting = .ambient
            errors.task {
                await gate.wait()
                try client.use()
                events.add("task used the client")
            }
            return HTTPResponse.Status.accepted
        }
        router.get("broken") { _, _ -> String in throw Broken(name: "route") }
        var app = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: onServerRunning, logger: quiet)
        app.addServices(client)
        app.beforeServerStarts { events.add("before the server starts") }
        return app
    }
}

extension RunServiceTests {
    private static func status(of method: NIOHTTP1.HTTPMethod, _ url: String) async -> UInt? {
        var request = HTTPClientRequest(url: url)
        request.method = method
        return try? await HTTPClient.shared.execute(request, timeout: .seconds(60)).status.code
    }

    @Test func `it keeps its services, which end after the bus's tasks, and its processes before the start`()
        async throws
    {
        let (events, gate) = (events, Gate())
        let client = Client(events)
        let errors = bus()
        try await testGracefulShutdown { @Sendable trigger in
            let app = application(client, whileTaskRuns: gate) { channel in
                events.add("server runs")
                let address = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)"
                Task.detached {
                    #expect(await Self.status(of: .POST, "\(address)/orders") == 202)
                    #expect(await Self.status(of: .GET, "\(address)/broken") == 500)
                    trigger.triggerGracefulShutdown()
                    gate.open()
                }
            }
            try await app.runService(reportingTo: errors, gracefulShutdownSignals: [])
        }
        let all = events.all
        let start = all.prefix { $0 != "server runs" }
        #expect(start.contains("before the server starts") && start.count <= 2, "\(all)")
        #expect(all.suffix(2) == ["task used the client", "client ends"], "\(all)")
        #expect(all.filter { $0.hasPrefix("Broken") } == [#"Broken(name: "route") in ["GET /broken"]"#])
    }

    @Test func `it is tested as before, and runs its services in the test`() async throws {
        let gate = Gate()
        gate.open()
        let app = application(Client(events), whileTaskRuns: gate) { _ in }
        let recorded = try await withRecordedErrors { _ in
            try await app.test(.router) { client in
                let (order, broken) = try await (
                    client.execute(uri: "/orders", method: .post), client.execute(uri: "/broken", method: .get)
                )
                #expect(order.status == .accepted && broken.status == .internalServerError)
            }
        }
        #expect(recorded.reports.map(\.scope) == [["GET /broken"]])
        #expect(events.all.last == "client ends")
    }

    @Test func `a process that fails before the start is posted in the application's scope, and thrown`() async throws {
        let errors = bus()
        var app = Application(router: Router(), logger: quiet)
        app.addServices(Client(events))
        app.beforeServerStarts { throw Broken(name: "migration") }
        await #expect(throws: Broken(name: "migration")) { try await app.runService(reportingTo: errors) }
        #expect(events.all.filter { $0.hasPrefix("Broken") } == [#"Broken(name: "migration") in ["Application"]"#])
        #expect(events.all.last == "client ends")
    }
}
