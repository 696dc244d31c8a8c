import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Posts orders to the payment endpoint.
struct PaymentClient: Sendable {
    /// Nobody listens at port 1, so that URLSession's own errors occur.
    static let closedEndpoint = URL(string: "http://127.0.0.1:1/payments")!

    let endpoint: URL
    private let session: URLSession

    init(endpoint: URL) {
        self.endpoint = endpoint
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 5
        session = URLSession(configuration: configuration)
        Self.bypassProxy(for: endpoint)
    }

    /// Keeps requests to this machine on this machine: where there is an `http_proxy`, curl would ask it for these too,
    /// and what it answers would hide the errors that are to be seen here.
    private static func bypassProxy(for endpoint: URL) {
        #if canImport(FoundationNetworking)
            guard let host = endpoint.host(), ["127.0.0.1", "localhost", "::1"].contains(host) else { return }
            let bypassed = ProcessInfo.processInfo.environment["no_proxy"].map { "\($0),\(host)" } ?? host
            unsafe setenv("no_proxy", bypassed, 1)
        #endif
    }

    /// Charges an order: posts it, and throws unless the answer is a success.
    func charge(_ order: Order) async throws {
        var request = URLRequest(url: endpoint)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        // The endpoint may have charged an order whose answer was lost; with this it knows the second attempt.
        request.setValue(order.id, forHTTPHeaderField: "Idempotency-Key")
        request.httpBody = try JSONEncoder().encode(Charge(order: order.id, amountInCents: order.totalInCents))
        let (_, response) = try await session.data(for: request)
        guard let status = (response as? HTTPURLResponse)?.statusCode else { throw URLError(.badServerResponse) }
        try Self.check(status: status)
    }

    /// Throws unless an answer is a success.
    static func check(status: Int) throws(PaymentRejected) {
        guard (200...299).contains(status) else { throw PaymentRejected(status: status) }
    }

    /// Lets the session go, once nothing is under way.
    func close() {
        session.finishTasksAndInvalidate()
    }

    private struct Charge: Encodable {
        let order: String
        let amountInCents: Int
    }
}

/// The payment endpoint answered, and said no.
struct PaymentRejected: Error, Equatable {
    /// The HTTP status.
    let status: Int

    /// Whether a later attempt may succeed: the endpoint is overloaded or out of order.
    var isTemporary: Bool { status == 429 || (500...599).contains(status) }
}
