import AsyncHTTPClient
import AsyncHTTPClientTransport
import ErrorRouting
import Foundation
import GRDB
import HTTPErrors
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// A customer's order that is not valid.
enum InvalidOrder: Error {
    case noItem
    case quantity(Int)
}

/// There is no order with this number.
struct OrderMissing: Error {
    let number: Int64
}

/// The label printer has jammed: an error for which the service has no rule.
struct LabelJam: Error {
    let printer = "printer-7.internal"
    let order: String
}

extension ErrorMatcher where Output == DatabaseError {
    /// Matches the error that another process has locked the database.
    static var lockedDatabase: Self { .type(DatabaseError.self).where { $0.resultCode == .SQLITE_BUSY } }
}

extension ErrorMatcher where Output == any Error {
    /// Matches the errors of a client that leaves within its response or its request.
    ///
    /// A request that breaks off throws SwiftNIO's own errors. No other connection's errors are among them, since the
    /// supplier's and the database's come as errors of other types; and a port that is in use is another `IOError`.
    static var clientLeft: Self {
        .type(ClientLeft.self) || .type(HTTPParserError.self)
            || .type(IOError.self).where { [ECONNRESET, ETIMEDOUT].contains($0.errnoCode) }
    }
}

extension ErrorHandler {
    /// Returns the service's rules: expected errors are handled, other errors page somebody, and every error is logged.
    static func orders(paging pager: Pager?) -> ErrorHandler {
        ErrorHandler()
            .onNoMatch { error in
                try await pager?.call(about: error)
                return .stop
            }
            .ignore(matching: .cancellation)
            .on(InvalidOrder.self) { _ in .stop }
            .on(OrderMissing.self) { _ in .stop }
            .on(HTTPError.self) { _ in .stop }
            .ignore(matching: .clientLeft)
            .on(NetworkError.self) { _ in .stop }
            .on(UpstreamBroke.self) { _ in .stop }
            .on(matching: .lockedDatabase) { _ in .stop }
            .overlaid(with: .logging(log))
    }
}

/// The log levels of errors.
let levels = ErrorMap<Logger.Level>(default: .error)
    .on(InvalidOrder.self, .info)
    .on(OrderMissing.self, .info)
    .on(HTTPError.self) { $0.status.code < 500 ? .info : .error }
    .on(ErrorsDropped.self, .critical)

/// Returns the level at which a report is logged.
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
    /// What counters tell errors apart by: few values each.
    var dimensions: [(String, String)] {
        [("disposition", "\(outcome.disposition)"), ("role", role.name), ("type", typeName)]
    }
}

/// The problems that clients are told: the kind of problem, without internal details.
let problems = ErrorMap(default: ProblemDetails(title: "Internal error", status: 500))
    .on(InvalidOrder.self) { error in
        switch error {
        case .noItem: ProblemDetails(type: "/problems/no-item", title: "An order needs an item", status: 422)
        case .quantity: ProblemDetails(type: "/problems/quantity", title: "The quantity is not possible", status: 422)
        }
    }
    .on(OrderMissing.self, ProblemDetails(type: "/problems/no-order", title: "There is no such order", status: 404))
    .on(
        matching: .type(HTTPError.self).where { $0.status == .unauthorized },
        ProblemDetails(title: "Log in first", status: 401)
    )
    // Nobody gets this answer; as a status below 500 it is no failure of the service's.
    .on(matching: .clientLeft, ProblemDetails(title: "The client has left", status: 499))
    .on(UpstreamBroke.self, ProblemDetails(title: "The supplier failed", status: 502))
    .on(matching: .lockedDatabase, ProblemDetails(title: "Busy, try again", status: 503))
    .on(NetworkError.self, ProblemDetails(title: "The supplier failed", status: 502))
    .on(matching: .network(.timeout), ProblemDetails(title: "The supplier is slow", status: 504))
    .on(matching: .status(429...429), ProblemDetails(title: "The supplier is busy", status: 503))
    .on(matching: .cancellation, ProblemDetails(title: "Going down", status: 503))

/// Pages somebody about an error that no rule matches.
///
/// Errors are delivered even after all services have ended. So a rule must not need one of these services, and the
/// pager has connections of its own.
struct Pager: Sendable {
    private struct Call: APIRequest {
        typealias Response = NoContent
        let path: String
        let subject: String
        var method: String { "POST" }
        var body: (any Encodable & Sendable)? { ["subject": subject] }
        var timeout: Duration? { .seconds(60) }
    }

    private let api: APIClient
    private let path: String

    init(_ url: URL, _ path: String) {
        api = APIClient(base: url, transport: AsyncHTTPClientTransport(.shared))
        self.path = path
    }

    /// - Throws: An error if the call failed.
    func call(about error: any Error) async throws(NetworkError) {
        _ = try await api.send(Call(path: path, subject: "\(type(of: error))"))
    }
}
