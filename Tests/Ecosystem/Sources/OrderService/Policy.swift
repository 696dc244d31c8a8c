import ErrorRouting
import HTTPErrors
import Hummingbird
import Logging
import NIOHTTP1

// A global outside of `main.swift`, whose variables belong to the main actor.
let logger = Logger(label: "orders")

extension ErrorHandler {
    // What can be expected is handled, everything else pages somebody, and all of it is logged.
    static func orders(paging pager: Pager?) -> ErrorHandler {
        ErrorHandler()
            .onNoMatch { error in
                try await pager?.call(about: error)
                return .stop
            }
            .on(InvalidOrder.self) { _ in .stop }
            .on(OrderMissing.self) { _ in .stop }
            .on(HTTPError.self) { _ in .stop }
            .on(NetworkError.self) { _ in .stop }
            .on(UpstreamBroke.self) { _ in .stop }
            .on(matching: .lockedDatabase) { _ in .stop }
            .ignore(ClientBroke.self)
            .overlaid(with: .logging(log))
    }
}

// The response to a request that fails.
let problems = ErrorMap(default: ProblemDetails(title: "Internal error", status: 500))
    .on(InvalidOrder.self) {
        ProblemDetails(type: "/problems/\($0.problem)", title: "The order is not possible", status: 422)
    }
    .on(OrderMissing.self, ProblemDetails(type: "/problems/no-order", title: "There is no such order", status: 404))
    .on(matching: .lockedDatabase, ProblemDetails(title: "Busy, try again", status: 503))
    .on(UpstreamBroke.self, ProblemDetails(title: "The supplier failed", status: 502))
    .on(NetworkError.self, ProblemDetails(title: "The supplier failed", status: 502))
    .on(matching: .network(.timeout), ProblemDetails(title: "The supplier is slow", status: 504))
    .on(matching: .status(429), ProblemDetails(title: "The supplier is busy", status: 503))
    // A client that has left gets no response. One that has sent what is not HTTP is still there.
    .on(ClientBroke.self, ProblemDetails(title: "The client has left", status: 499))
    .on(
        matching: .type(ClientBroke.self)
            && .anywhere(.type(HTTPParserError.self).where { $0 != .invalidEOFState }),
        ProblemDetails(title: "This is not HTTP", status: 400)
    )
    .on(matching: .cancellation.where { _ in Task.isCancelled }, ProblemDetails(title: "Going down", status: 503))
    // An error of Hummingbird's own is reported only if there is a rule for it, or if its status is 500 or above.
    .on(
        matching: .type(HTTPError.self).where { $0.status == .unauthorized },
        ProblemDetails(title: "Log in first", status: 401))

let levels = ErrorMap<Logger.Level>(default: .error)
    .on(InvalidOrder.self, .info)
    .on(OrderMissing.self, .info)
    .on(HTTPError.self) { $0.status.code < 500 ? .info : .error }
    .on(ClientBroke.self, .debug)
    .on(ErrorsDropped.self, .critical)

func level(of report: ErrorReport) -> Logger.Level {
    // An attempt is followed by a retry, and a notice is no failure.
    if report.role != .failure { return .info }
    return switch report.outcome.disposition {
    case .ignored: .debug
    case .unmatched: max(.error, levels[report.error])
    default: levels[report.error]
    }
}

extension ErrorReport {
    // What counters tell errors apart by: few values each.
    var dimensions: [(String, String)] {
        [("disposition", "\(outcome.disposition)"), ("role", role.name), ("type", typeName)]
    }
}
