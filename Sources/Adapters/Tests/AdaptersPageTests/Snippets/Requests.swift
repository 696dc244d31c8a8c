import ErrorRouting
import ErrorRoutingHummingbird
import HTTPErrors
import Hummingbird

private func requests(_ router: Router<BasicRequestContext>) {
    let problems = ErrorMap(default: ProblemDetails(title: "Internal error", status: 500))
        .on(OrderMissing.self, ProblemDetails(title: "There is no such order", status: 404))
        .on(TooManyOrders.self, ProblemDetails(title: "Too many orders", status: 429))
    let fields = ErrorMap<HTTPFields>(default: [:])
        .on(TooManyOrders.self) { error in [.retryAfter: "\(error.seconds)"] }

    router.addMiddleware {
        MetricsMiddleware()  // counts the status that the client receives
        TracingMiddleware()  // its span is open until the body is written
        ErrorReportingMiddleware(problems, fields: fields)  // turns errors into responses
        CORSMiddleware()  // errors of middleware from here on are reported too
    }
}
