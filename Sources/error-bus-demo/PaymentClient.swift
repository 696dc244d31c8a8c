import ErrorRouting
import Foundation
import HTTPErrors

/// Posts orders to the payment endpoint.
struct PaymentClient: Sendable {
    /// An endpoint at which nobody listens, so that URLSession's own errors occur.
    static let closedEndpoint = URL(string: "http://127.0.0.1:1/payments")!

    /// How long a request may take.
    static let timeLimit = Duration.seconds(5)

    let endpoint: URL
    private let client: APIClient

    init(endpoint: URL) {
        self.endpoint = endpoint
        // When Ctrl-C cancels a request, its transfer may still complete, and its result is lost, as if the answer had
        // been lost. The `Idempotency-Key` lets the endpoint recognise the order if it is sent again.
        let transport = URLSessionTransport(timeout: Self.timeLimit, transferLimit: Self.timeLimit * 2)
        client = APIClient(base: endpoint, transport: transport)
        Self.bypassProxy(for: endpoint)
    }

    /// Excludes this machine from the proxy: libcurl would send these requests to an `http_proxy` too, and the proxy's
    /// answer would hide the errors that the demo shows.
    private static func bypassProxy(for endpoint: URL) {
        #if canImport(FoundationNetworking)
            guard let host = endpoint.host(), ["127.0.0.1", "localhost", "::1"].contains(host) else { return }
            let bypassed = ProcessInfo.processInfo.environment["no_proxy"].map { "\($0),\(host)" } ?? host
            unsafe setenv("no_proxy", bypassed, 1)
        #endif
    }

    /// The endpoint's URL without user info, query and fragment, which may be secrets.
    var shownEndpoint: String {
        guard var parts = URLComponents(url: endpoint, resolvingAgainstBaseURL: true) else { return "a URL" }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        return parts.string ?? "a URL"
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
    /// The key by which the endpoint recognises a second attempt, in case it charged the order and the answer was lost.
    var headers: HTTPHeaders { ["Idempotency-Key": order.id] }
    var body: (any Encodable & Sendable)? { Charge(order: order.id, amountInCents: order.totalInCents) }
}

extension ErrorMatcher where Output == NetworkError {
    /// Matches errors that mean that the endpoint cannot be reached: no connection, or no answer in time.
    static var unreachable: Self { .network(.connection, .timeout, .networkUnavailable) }
}
