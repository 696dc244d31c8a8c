import ErrorRouting
import ErrorRoutingHummingbird
import HTTPErrors
import Hummingbird
import Logging

// Declare the logger here: the variables of `main.swift` belong to the main actor.
let logger = Logger(label: "orders")

extension ErrorHandler {
    // Expected errors are handled, and every other error pages an engineer. The pager is called in a task of the bus,
    // because all later errors wait for a rule that waits.
    static func orders(paging pager: Pager?, waiting waits: Bool) -> ErrorHandler {
        ErrorHandler()
            .onNoMatch { error in
                if waits { try await pager?.call(about: error) }
                if !waits, let pager { postingTask { try await pager.call(about: error) } }
                return .stop
            }
            .expecting(InvalidOrder.self, OrderMissing.self, HTTPError.self, NetworkError.self, UpstreamError.self)
            .on(matching: .lockedDatabase) { _ in .stop }
    }
}

// The responses to failed requests.
let problems = ErrorMap(default: ProblemDetails(title: "Internal error", status: 500))
    .on(InvalidOrder.self) {
        ProblemDetails(type: "/problems/\($0.problem)", title: "The order is not possible", status: 422)
    }
    .on(OrderMissing.self, ProblemDetails(type: "/problems/no-order", title: "There is no such order", status: 404))
    .on(matching: .lockedDatabase, ProblemDetails(title: "Busy, try again", status: 503))
    .on(NetworkError.self, ProblemDetails(title: "The supplier failed", status: 502))
    .on(matching: .network(.timeout), ProblemDetails(title: "The supplier is slow", status: 504))
    .on(matching: .status(429), ProblemDetails(title: "The supplier is busy", status: 503))
    // An error of Hummingbird's own is reported only if there is a rule for it, or if its status is 500 or above.
    .on(
        matching: .type(HTTPError.self).where { $0.status == .unauthorized },
        ProblemDetails(title: "Log in first", status: 401))

// The levels of errors that matter less than their severity. A failure that a rule handled is a notice.
let levels = ErrorMap<Logger.Level?>()
    .on(InvalidOrder.self, .info)
    .on(OrderMissing.self, .info)
    .on(matching: .type(HTTPError.self).where { $0.status.code < 500 }, .info)
