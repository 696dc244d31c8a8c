import AsyncHTTPClient
import ErrorRouting
import ErrorRoutingHummingbird
import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle

struct NoSuchTodo: Error {
    let id: String
}

/// Tells other services about new todos; the requests don't wait for that.
struct Webhooks: Service {
    private let client = HTTPClient()
    let url: String

    func call() async throws {
        let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
        guard response.status == .created else { throw Refused(status: response.status.code) }
        _ = try await response.body.collect(upTo: 1 << 20)
    }

    func run() async throws {
        try? await gracefulShutdown()
        try await client.shutdown()
    }

    struct Refused: Error {
        let status: UInt
    }
}

/// Sends reminders until the shutdown.
struct Reminders: Service {
    func run() async throws { try? await gracefulShutdown() }
}

func buildApplication(_ settings: [String: String]) async throws -> some ApplicationProtocol {
    let webhooks = Webhooks(url: settings["WEBHOOK_URL"] ?? "http://localhost:9200/todos")
    let router = Router()
    router.add(middleware: ErrorReportingMiddleware())
    router.get("todos/:id") { _, context -> String in
        throw NoSuchTodo(id: try context.parameters.require("id"))
    }
    router.delete("todos/:id") { _, context -> String in
        throw NoSuchTodo(id: try context.parameters.require("id"))
    }
    router.post("todos") { _, _ in
        postingTask { try await webhooks.call() }
        return HTTPResponse.Status.created
    }
    let port = settings["PORT"].flatMap(Int.init) ?? 8080
    var app = Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)))
    app.addServices(webhooks, Reminders())
    app.beforeServerStarts {
        if settings["MIGRATION"] == "fails" { throw NoSuchTodo(id: "migration") }
    }
    return app
}
