import AsyncHTTPClient
import AsyncHTTPClientTransport
import ErrorRouting
import Foundation
import GRDB
import HTTPErrors
import Hummingbird
import Logging

/// What is wrong with an order that somebody wants to place.
enum InvalidOrder: Error {
    case noItem
    case quantity(Int)
}

/// An order that there is not.
struct OrderMissing: Error {
    let number: Int64
}

/// The printer of labels has jammed: nothing that the rest of the service has ever heard of.
struct LabelJam: Error {
    let printer = "printer-7.internal"
    let order: String
}

extension ErrorMatcher where Output == DatabaseError {
    /// Another process holds the database.
    static var lockedDatabase: Self { .type(DatabaseError.self).where { $0.resultCode == .SQLITE_BUSY } }
}

extension ErrorHandler {
    /// The service's rules: what is expected is handled, and somebody is called for what is not; all of it is logged.
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
            .on(NetworkError.self) { _ in .stop }
            .on(matching: .lockedDatabase) { _ in .stop }
            .overlaid(with: .logging(log))
    }
}

/// How loud an error is.
let levels = ErrorMap<Logger.Level>(default: .error)
    .on(matching: .cancellation, .debug)
    .on(InvalidOrder.self, .info)
    .on(OrderMissing.self, .info)
    .on(HTTPError.self) { $0.status.code < 500 ? .info : .error }
    .on(ErrorsDropped.self, .critical)

/// What whoever asked is told: the kind of problem, and nothing of what is behind it.
let problems = ErrorMap(default: ProblemDetails(title: "Internal error", status: 500))
    .on(InvalidOrder.self) { error in
        switch error {
        case .noItem: ProblemDetails(type: "/problems/no-item", title: "An order needs an item", status: 422)
        case .quantity: ProblemDetails(type: "/problems/quantity", title: "The quantity is not possible", status: 422)
        }
    }
    .on(OrderMissing.self, ProblemDetails(type: "/problems/no-order", title: "There is no such order", status: 404))
    .on(HTTPError.self) { ProblemDetails(status: $0.status.code) }
    .on(matching: .lockedDatabase, ProblemDetails(title: "Busy, try again", status: 503))
    .on(NetworkError.self, ProblemDetails(title: "The supplier failed", status: 502))
    .on(matching: .network(.timeout), ProblemDetails(title: "The supplier is slow", status: 504))
    .on(matching: .status(429...429), ProblemDetails(title: "The supplier is busy", status: 503))
    .on(matching: .cancellation, ProblemDetails(title: "Going down", status: 503))

/// Calls somebody about an error that no rule knows.
///
/// Errors are still told when all services have ended: what a rule needs must not be one of them, and so this has
/// connections of its own.
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

    /// - Throws: Where the call did not come through.
    func call(about error: any Error) async throws(NetworkError) {
        _ = try await api.send(Call(path: path, subject: "\(type(of: error))"))
    }
}
