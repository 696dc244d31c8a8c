import AsyncHTTPClient
import AsyncHTTPClientTransport
import Foundation
import HTTPErrors

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
