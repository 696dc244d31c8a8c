import AsyncHTTPClient
import Foundation
import HTTPErrors
import NIOCore
import NIOHTTP1

/// Who asks the service for something, 64 at once if need be.
struct Caller: Sendable {
    static let width = 64

    /// What the service said.
    struct Answer: Sendable {
        let status: Int
        let type: String?
        /// By which name the service calls the request.
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

    /// Sends a request, and returns the answer.
    ///
    /// - Throws: Where none came, within five minutes at most.
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

    /// Sends many requests, 64 at once, until all have ended.
    ///
    /// - Parameters:
    ///   - requests: What to send.
    ///   - received: Called with each answer; nil where none came.
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
