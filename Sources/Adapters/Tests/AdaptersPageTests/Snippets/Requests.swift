import ErrorRouting
import ErrorRoutingHummingbird
import HTTPErrors
import Hummingbird

private func requests(_ router: Router<BasicRequestContext>) {
    let problems = ErrorMap(default: ProblemDetails(title: "Internal error", status: 500))
        .on(OrderMissing.self, ProblemDetails(title: "There is no such order", status: 404))

    router.addMiddleware {
        MetricsMiddleware()  // counts the status that the client gets
        TracingMiddleware()  // its span is open until the body is written
        ErrorReportingMiddleware(problems)  // turns errors into responses
        // then everything that throws
    }
}
