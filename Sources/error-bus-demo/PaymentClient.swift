import ErrorRouting
import Foundation
import HTTPErrors

/// Posts orders to the payment endpoint.
struct PaymentClient: Sendable {
    /// Nobody listens at port 1, so that URLSession's own errors occur.
    static let closedEndpoint = URL(string: "http://127.0.0.1:1/payments")!

    /// How long an endpoint may take.
    static let timeLimit = Duration.seconds(5)

    let endpoint: URL
    private let client: APIClient

    init(endpoint: URL) {
        self.endpoint = endpoint
        // A transfer that Ctrl-C cuts off ends by itself; what comes of it then nobody hears. So it would be, too, if
        // the answer were lost: whether an order is charged, its `Idempotency-Key` tells.
        let transport = URLSessionTransport(timeout: Self.timeLimit, transferLimit: Self.timeLimit * 2)
        client = APIClient(base: endpoint, transport: transport)
        Self.bypassProxy(for: endpoint)
    }

    /// Keeps requests to this machine on this machine: where there is an `http_proxy`, curl would ask it for these too,
    /// and what it returns would hide the errors that are to be seen here.
    private static func bypassProxy(for endpoint: URL) {
        #if canImport(FoundationNetworking)
            guard let host = endpoint.host(), ["127.0.0.1", "localhost", "::1"].contains(host) else { return }
            let bypassed = ProcessInfo.processInfo.environment["no_proxy"].map { "\($0),\(host)" } ?? host
            unsafe setenv("no_proxy", bypassed, 1)
        #endif
    }

    /// Charges an order: posts it, and throws unless the answer is a success.
    func charge(_ order: Order) async throws(NetworkError) {
        _ = try await client.send(ChargeOrder(order: order))
    }
}

/// The request that charges an order.
private struct ChargeOrder: APIRequest {
    typealias Response = NoContent

    struct Charge: Encodable {
        let order: String
        let amountInCents: Int
    }

    let order: Order

    var method: String { "POST" }
    var path: String { "" }
    /// The endpoint may have charged an order whose answer was lost; with this it knows the second attempt.
    var headers: HTTPHeaders { ["Idempotency-Key": order.id] }
    var body: (any Encodable & Sendable)? { Charge(order: order.id, amountInCents: order.totalInCents) }
}

extension ErrorMatcher where Output == NetworkError {
    /// The endpoint could not be asked.
    static var unreachable: Self { .network(.connection, .timeout, .networkUnavailable) }
}
