import Foundation
import NIOHTTP1

/// A request that was read whole.
struct Request {
    let method: String
    let path: String
    let query: [(name: String, value: String)]
    let headers: HTTPHeaders
    let body: [UInt8]
    let wantsConnectionKept: Bool
    let isOnKeptConnection: Bool

    init(_ head: HTTPRequestHead, body: [UInt8], isOnKeptConnection: Bool) {
        let components = URLComponents(string: head.uri)
        method = head.method.rawValue
        path = components?.path ?? head.uri
        query = (components?.queryItems ?? []).map { ($0.name, $0.value ?? "") }
        headers = head.headers
        self.body = body
        wantsConnectionKept = head.isKeepAlive
        self.isOnKeptConnection = isOnKeptConnection
    }

    var key: RequestCounts.Key {
        RequestCounts.Key(
            method: method,
            path: path,
            id: headers.first(name: "X-Test-Id") ?? "",
            isOnKeptConnection: isOnKeptConnection
        )
    }

    /// The path's segments, without empty ones.
    var segments: [String] { path.split(separator: "/").map(String.init) }

    func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// The query as a JSON object of strings.
    var queryAsJSON: String {
        let object = Dictionary(query.map { ($0.name, $0.value) }) { $1 }
        return Self.json(object)
    }

    /// The request as JSON: method, path, headers by lowercase name, body.
    var echo: String {
        let fields = Dictionary(headers.map { ($0.name.lowercased(), $0.value) }) { "\($0), \($1)" }
        let text = String(decoding: body, as: UTF8.self)
        return Self.json(Echo(method: method, path: path, headers: fields, body: text))
    }

    private struct Echo: Encodable {
        let method: String
        let path: String
        let headers: [String: String]
        let body: String
    }

    private static func json(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

/// The counts of requests that were read whole.
///
/// Equal requests share a count, so memory doesn't grow with each request.
struct RequestCounts: Sendable {
    struct Key: Hashable {
        let method: String
        let path: String
        let id: String
        // Whether another request was read on the connection before.
        let isOnKeptConnection: Bool
    }

    private var counts: [Key: Int] = [:]

    mutating func add(_ key: Key) {
        counts[key, default: 0] += 1
    }

    func sum(where condition: (Key) -> Bool) -> Int {
        counts.reduce(0) { condition($1.key) ? $0 + $1.value : $0 }
    }
}
