import AsyncHTTPClient
import Foundation
import HTTPErrors
import NIOCore
import NIOHTTP1

/// A client of the service, which sends up to 64 requests at the same time.
struct Caller: Sendable {
    static let width = 64

    /// A response of the service.
    struct Answer: Sendable {
        let status: Int
        let type: String?
        /// The ID that the service gave the request.
        let id: String
        let body: Data

        var text: String { String(decoding: body, as: UTF8.self) }
        var problem: ProblemDetails? { try? JSONDecoder().decode(ProblemDetails.self, from: body) }
    }

    private let client: HTTPClient
    let port: Int

    static func withCaller<Value>(port: Int, _ body: (Caller) async throws -> Value) async throws -> Value {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = width
        configuration.connectionPool.retryConnectionEstablishment = false
        return try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            try await body(Caller(client: client, port: port))
        }
    }

    /// Sends a request and returns the answer.
    ///
    /// - Throws: An error if no answer arrives within five minutes.
    func send(_ request: ServiceRequest, headers: [(String, String)] = []) async throws -> Answer {
        var message = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(request.path)")
        message.method = HTTPMethod(rawValue: request.method)
        for (name, value) in headers { message.headers.add(name: name, value: value) }
        if let body = request.body {
            message.headers.add(name: "Content-Type", value: "application/json")
            message.body = .bytes(ByteBuffer(string: body))
        }
        let response = try await client.execute(message, timeout: .minutes(5))
        let body = try await response.body.collect(upTo: 1 << 20)
        return Answer(
            status: Int(response.status.code), type: response.headers.first(name: "Content-Type"),
            id: response.headers.first(name: "X-Request-Id") ?? "", body: Data(body.readableBytesView))
    }

    /// Sends a request and disconnects as soon as the first bytes of the answer's body have arrived.
    ///
    /// - Returns: The ID that the service gave the request.
    func leave(_ request: ServiceRequest) async throws -> String {
        let message = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(request.path)")
        let response = try await client.execute(message, timeout: .minutes(5))
        for try await _ in response.body { break }
        return response.headers.first(name: "X-Request-Id") ?? ""
    }

    // Only the service's metrics show that a request has begun, so the next two methods poll them.

    /// Waits until the service works on a number of requests with a method.
    ///
    /// The request for the metrics counts as a `GET`.
    func waitUntilActive(_ method: String, _ count: Int) async throws {
        let metric = #"http.server.active_requests{http.request.method="\#(method)"} \#(count)"#
        while try await !send(.metrics).text.contains(metric) { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// Waits until the service works on a number of requests with any method, not counting the request for the metrics.
    func waitUntilActive(_ count: Int) async throws {
        while try await active() != count + 1 { try await Task.sleep(for: .milliseconds(5)) }
    }

    private func active() async throws -> Int {
        let lines = try await send(.metrics).text.split(separator: "\n")
        return lines.filter { $0.hasPrefix("http.server.active_requests{") }
            .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0) { $0 + Int($1) }
    }

    /// Sends many requests, 64 at a time, and waits until all have ended.
    ///
    /// - Parameters:
    ///   - requests: The requests.
    ///   - received: Called with each answer; nil if there was none.
    func send(
        _ requests: some Sequence<ServiceRequest>,
        _ received: @escaping @Sendable (ServiceRequest, Answer?) -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            var requests = requests.makeIterator()
            func sendNext() {
                guard let request = requests.next() else { return }
                group.addTask { received(request, try? await send(request)) }
            }
            for _ in 0..<Self.width { sendNext() }
            while await group.next() != nil { sendNext() }
        }
    }
}

/// A request to the service and the expected status.
struct ServiceRequest: Sendable {
    var method = "GET"
    let path: String
    var body: String?
    let status: Int
    /// Whether the answer comes from one of Hummingbird's own errors, for which the service has no rule.
    var isOwn = false

    /// Whether the service reports the failure.
    ///
    /// It doesn't if Hummingbird blames the caller.
    var isReported: Bool { !isOwn || status >= 500 }

    static let health = ServiceRequest(path: "/health", status: 200)
    static let metrics = ServiceRequest(path: "/metrics", status: 200)
    static let order = ServiceRequest(
        method: "POST", path: "/orders", body: #"{"item":"tea","quantity":2}"#, status: 201)
    /// An order while another process has locked the database.
    static let orderWhileLocked = ServiceRequest(method: "POST", path: "/orders", body: order.body, status: 503)
    static let label = ServiceRequest(path: "/labels/7", status: 500)
    static let quote = quote("json", 200)
    static let catalogue = ServiceRequest(path: "/catalogues/json", status: 200)

    /// A request for a quote from the supplier that behaves like a path of the fault server.
    static func quote(_ path: String, _ status: Int) -> ServiceRequest {
        ServiceRequest(path: "/quotes/\(path)", status: status)
    }

    /// The requests that fail whether or not the database is locked.
    static let failures = [
        ServiceRequest(method: "POST", path: "/orders", body: #"{"item":"","quantity":2}"#, status: 422),
        ServiceRequest(method: "POST", path: "/orders", body: #"{"item":"tea","quantity":0}"#, status: 422),
        ServiceRequest(method: "POST", path: "/orders", body: #"{"item":"#, status: 400, isOwn: true),
        ServiceRequest(path: "/orders/999999999", status: 404),
        ServiceRequest(path: "/nowhere", status: 404, isOwn: true), ServiceRequest(path: "/account", status: 401),
        ServiceRequest(path: "/stock", status: 503, isOwn: true),
        quote("hang?within=300", 504), quote("drop/before", 502), quote("drop/reset", 502), quote("truncated", 502),
        quote("garbage", 502), quote("malformed-json", 502), quote("status/429", 503), quote("status/503", 502), label,
        ServiceRequest(path: "/catalogues/drop/before", status: 502),
        ServiceRequest(path: "/catalogues/drop/reset", status: 502), ServiceRequest(path: "/stocktaking", status: 500),
    ]

    /// The requests that succeed whether or not the database is locked, once there is an order.
    static let successes = [health, quote, ServiceRequest(path: "/orders/1", status: 200), catalogue]
}
