import ErrorRouting
import ErrorRoutingHummingbird
import HTTPErrors
import Hummingbird

// Declarations that the snippets of the page on services assume.

struct OrderMissing: Error {}
struct TooManyOrders: Error { let seconds: Int }

let problems = ErrorMap(default: ProblemDetails(title: "Internal error", status: 500))
    .on(OrderMissing.self, ProblemDetails(title: "There is no such order", status: 404))

func buildApplication(_ settings: [String: String]) async throws -> some ApplicationProtocol {
    let router = Router()
    router.addMiddleware { ErrorReportingMiddleware(problems) }
    router.get("orders/:id") { _, _ -> String in throw OrderMissing() }
    return Application(responder: router.buildResponder())
}
