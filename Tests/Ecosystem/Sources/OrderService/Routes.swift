import AsyncHTTPClient
import ErrorRouting
import ErrorRoutingHummingbird
import Foundation
import HTTPTypes
import Hummingbird

/// Returns the service's routes, with the middleware that every request passes through.
func routes(
    _ store: OrderStore,
    _ suppliers: Suppliers,
    _ printer: Printer,
    _ registry: MetricsRegistry
) -> Router<BasicRequestContext> {
    let router = Router()
    router.addMiddleware {
        MetricsMiddleware()
        TracingMiddleware()
        RequestIDHeader()
        ErrorReportingMiddleware(problems)
    }
    router.get("health") { _, _ in HTTPResponse.Status.ok }
    router.get("metrics") { _, _ in registry.text }
    router.post("orders") { request, context in
        let wish = try await request.decode(as: NewOrder.self, context: context)
        let order = try await store.place(item: wish.item, quantity: wish.quantity)
        return EditedResponse(status: .created, response: order)
    }
    router.get("orders/:number") { _, context in
        try await store.order(context.parameters.require("number", as: Int64.self))
    }
    // `?within=` is the time limit for each attempt, in milliseconds.
    router.get("quotes/**") { request, context in
        let path = context.parameters.getCatchAll().joined(separator: "/")
        let limit = request.uri.queryParameters.get("within", as: Int.self)
        return Quote(price: try await suppliers.price(path, within: limit.map { .milliseconds($0) }))
    }
    // Streams the supplier's response. `?within=` is the time limit for the head, and `?pauses=` for each pause in the
    // body, in milliseconds.
    router.get("catalogues/**") { request, context in
        let path = context.parameters.getCatchAll().joined(separator: "/")
        func limit(_ name: String) -> Int { request.uri.queryParameters.get(name, as: Int.self) ?? 60_000 }
        let parts = try await suppliers.catalogue(path, within: limit("within"), idleTimeout: limit("pauses"))
        let body = ResponseBody { writer in
            for try await part in parts { try await writer.write(part) }
            try await writer.finish(nil)
        }
        return Response(status: .ok, body: body)
    }
    // Waits for a delivery until the client disconnects.
    router.get("deliveries") { request, _ -> String in
        do {
            return try await request.body.consumeWithCancellationOnInboundClose { _ in
                try await Task.sleep(for: .seconds(600))
                return "delivered"
            }
        } catch is CancellationError where !Task.isCancelled {
            throw ClientDisconnected.left(CancellationError())
        }
    }
    // Treats its cancellation as the end of its work.
    router.get("pickups") { _, _ -> String in
        try? await Task.sleep(for: .seconds(600))
        return "picked up"
    }
    // Waits for a task that was cancelled.
    router.get("stocktaking") { _, _ -> String in
        let counting = Task { try await Task.sleep(for: .seconds(600)) }
        counting.cancel()
        try await counting.value
        return "7"
    }
    router.get("returns") { _, _ in Response(status: .internalServerError) }
    router.get("account") { _, _ -> String in throw HTTPError(.unauthorized) }
    router.get("stock") { _, _ -> String in throw HTTPError(.serviceUnavailable, message: "Back at noon") }
    // Leaves out a label that jams.
    router.get("labels") { _, _ in
        let body = ResponseBody { writer in
            postError(LabelJam(order: "1"))
            try await writer.write(ByteBuffer(string: "label 2\n"))
            try await writer.finish(nil)
        }
        return Response(status: .ok, body: body)
    }
    router.get("labels/:order") { _, context -> String in
        throw LabelJam(order: try context.parameters.require("order"))
    }
    // Prints `?seconds=` after the response. A `busy` printer can't be interrupted.
    router.post("labels/:order") { request, context in
        let order = try context.parameters.require("order")
        let pause = Duration.seconds(request.uri.queryParameters.get("seconds", as: Int.self) ?? 0)
        let isBusy = request.uri.queryParameters["busy"] != nil
        let errors: any ErrorPosting = .ambient
        errors.task {
            let printing = Task { try? await Task.sleep(for: pause) }
            await withTaskCancellationHandler {
                await printing.value
            } onCancel: {
                if !isBusy { printing.cancel() }
            }
            throw LabelJam(order: order)
        }
        return HTTPResponse.Status.accepted
    }
    // Makes a service fail that the other services need, so that all services end.
    router.delete("printer") { _, _ in
        printer.fail()
        return HTTPResponse.Status.accepted
    }
    return router
}

/// The body of a request for a new order.
private struct NewOrder: Decodable {
    let item: String
    let quantity: Int
}

/// A supplier's price.
private struct Quote: ResponseCodable {
    let price: String
}

extension Order: ResponseEncodable {}

/// Adds the request's ID to each answer, so that clients can refer to it.
private struct RequestIDHeader: RouterMiddleware {
    typealias Context = BasicRequestContext

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        if let name = HTTPField.Name("X-Request-Id") { response.headers[name] = context.id }
        return response
    }
}
