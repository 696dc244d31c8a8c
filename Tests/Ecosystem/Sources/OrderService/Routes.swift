import ErrorRouting
import Foundation
import HTTPTypes
import Hummingbird

/// Returns the service's routes, with the middleware that every request passes through.
func routes(_ store: OrderStore, _ suppliers: Suppliers, _ registry: MetricsRegistry) -> Router<BasicRequestContext> {
    let router = Router()
    router.addMiddleware {
        MetricsMiddleware()
        TracingMiddleware()
        RequestName()
        RequestErrors()
    }
    router.get("health") { _, _ in HTTPResponse.Status.ok }
    router.get("metrics") { _, _ in registry.text }
    router.post("orders") { request, context in
        let wish = try await request.decode(as: OrderWish.self, context: context)
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
    // What the supplier sends, while it sends it.
    router.get("catalogues/**") { _, context in
        let path = context.parameters.getCatchAll().joined(separator: "/")
        return Response(status: .ok, body: ResponseBody(asyncSequence: try await suppliers.catalogue(path)))
    }
    router.get("account") { _, _ -> String in throw HTTPError(.unauthorized) }
    router.get("stock") { _, _ -> String in throw HTTPError(.serviceUnavailable, message: "Back at noon") }
    // A label that jams is left out.
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
    return router
}

/// The body of a request for a new order.
private struct OrderWish: Decodable {
    let item: String
    let quantity: Int
}

/// A supplier's price.
private struct Quote: ResponseCodable {
    let price: String
}

extension Order: ResponseEncodable {}

/// Adds the request's ID to each answer, so that clients can refer to it.
private struct RequestName: RouterMiddleware {
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
