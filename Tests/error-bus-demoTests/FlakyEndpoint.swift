import Foundation
import Synchronization

@testable import error_bus_demo

/// A payment endpoint on loopback that says 503 at the first attempt of every order, and takes the next.
final class FlakyEndpoint: Sendable {
    struct Counts {
        /// How many requests came for each order, by its `Idempotency-Key`.
        var requests: [String: Int] = [:]
        var taken: Set<String> = []
    }

    let url: URL
    private let counts = Mutex(Counts())
    private let isClosed = Atomic(false)

    init() throws {
        let listener = try LoopbackListener(backlog: 64)
        url = URL(string: "http://127.0.0.1:\(listener.port)/payments")!
        let serving = Mutex(Optional(listener))
        Thread.detachNewThread { [self] in
            guard let listener = serving.withLock({ $0.take() }) else { return }
            while !isClosed.load(ordering: .relaxed) {
                // No connection came for a while: asks whether to go on.
                guard let connection = try? listener.nextConnection() else { continue }
                serve(connection)
                close(connection)
            }
        }
    }

    /// Ends the serving thread, within seconds.
    func stop() { isClosed.store(true, ordering: .relaxed) }

    var seen: Counts { counts.withLock { $0 } }

    private func serve(_ connection: Int32) {
        var request = Data()
        while !Self.isWhole(request) {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = unsafe read(connection, &buffer, buffer.count)
            guard count > 0 else { return }
            request += buffer[..<count]
        }
        let key = Self.header("Idempotency-Key", of: request) ?? "none"
        let isTaken = counts.withLock { counts in
            counts.requests[key, default: 0] += 1
            guard counts.requests[key] != 1 else { return false }
            return counts.taken.insert(key).inserted
        }
        let status = isTaken ? "200 OK" : "503 Service Unavailable"
        let answer = Array("HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
        _ = unsafe write(connection, answer, answer.count)
    }

    private static func isWhole(_ request: Data) -> Bool {
        guard let end = request.range(of: Data("\r\n\r\n".utf8)) else { return false }
        let length = header("Content-Length", of: request).flatMap { Int($0) } ?? 0
        return request.count - end.upperBound >= length
    }

    private static func header(_ name: String, of request: Data) -> String? {
        let lines = String(decoding: request, as: UTF8.self).split(separator: "\r\n")
        let prefix = "\(name): ".lowercased()
        return lines.first { $0.lowercased().hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }
}
