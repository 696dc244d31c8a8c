import ErrorRoutingHummingbird
import Hummingbird

private func addErrors(to router: Router<BasicRequestContext>) {
    router.addMiddleware {
        ErrorReportingMiddleware(problems) { request in
            ["search", "maps"].first { request.uri.path.hasPrefix("/\($0)") } ?? "other"
        }
    }
}
