import AsyncHTTPClient
import ErrorRouting
import ErrorRoutingAsyncHTTPClient
import Foundation
import GRDB
import HTTPErrors

/// An invalid order of a customer.
enum InvalidOrder: Error {
    case noItem
    case quantity(Int)

    /// The kind of problem for the client, without internal details.
    var problem: String {
        switch self {
        case .noItem: "no-item"
        case .quantity: "quantity"
        }
    }
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
    /// Matches the error that GRDB throws when another process has locked the database.
    static var lockedDatabase: Self { .type(DatabaseError.self).where { $0.resultCode == .SQLITE_BUSY } }
}

/// Pages an engineer about an error that no rule matches.
///
/// Errors are delivered even after all services have ended. So a rule must not need one of these services, and the
/// pager has its own connections.
struct Pager: Sendable {
    private struct Call: APIRequest {
        typealias Response = NoContent
        let path: String
        let subject: String
        var method: HTTPMethod { .post }
        var body: (any Encodable & Sendable)? { ["subject": subject] }
        var timeout: Duration? { .seconds(60) }
    }

    private let api: APIClient
    private let path: String

    init(_ url: URL, _ path: String) {
        api = APIClient(base: url, transport: .asyncHTTPClient(.shared))
        self.path = path
    }

    /// - Throws: An error if the call failed.
    func call(about error: any Error) async throws(NetworkError) {
        _ = try await api.send(Call(path: path, subject: "\(type(of: error))"))
    }
}
