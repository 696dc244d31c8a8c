import ErrorRoutingTesting
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A server on loopback that receives envelopes and answers as a test specifies.
///
/// If `SENTRY_ENVELOPES` names a folder, each envelope is written to a file there, where Sentry's own parsers read it.
final class FakeSentry: Sendable {
    enum Answer: Sendable {
        case status(Int, [(String, String)] = [])
        /// Sends the bytes unchanged, then closes the connection.
        case bytes(String)
        /// Sends nothing, and keeps the connection open.
        case hang
        /// Closes the connection without an answer.
        case close

        static var accept: Answer { .status(200) }
    }

    struct Request: Sendable {
        let path: String
        let headers: HTTPHeaders
        let body: [UInt8]
        let connection: ObjectIdentifier

        /// The lines of the envelope: its header, the item's header, and the payload.
        var lines: [String] { String(decoding: body, as: UTF8.self).split(separator: "\n").map(String.init) }
        var isEvent: Bool { lines.dropFirst().first?.contains(#""type":"event""#) == true }
        /// The payload as JSON.
        var payload: [String: Any] {
            let object = try? JSONSerialization.jsonObject(with: Data(lines.last?.utf8 ?? "".utf8))
            return object as? [String: Any] ?? [:]
        }
        /// The discarded events of a client report.
        var discarded: [String: Int] {
            let events = payload["discarded_events"] as? [[String: Any]] ?? []
            return events.reduce(into: [:]) { $0[$1["reason"] as? String ?? ""] = $1["quantity"] as? Int }
        }
    }

    private struct State {
        var requests: [Request] = []
        var waiting: [(count: Int, gate: Gate)] = []
        var channels: [any Channel] = []
    }

    private let channel: any Channel
    private let state: Shared

    private final class Shared: Sendable {
        let answer: @Sendable (Int, Request) -> Answer
        let state = Mutex(State())

        init(_ answer: @escaping @Sendable (Int, Request) -> Answer) { self.answer = answer }

        /// Records a request and returns the answer.
        func receive(_ request: Request) -> Answer {
            let (number, gates) = state.withLock { state in
                state.requests.append(request)
                let count = state.requests.count
                let due = state.waiting.filter { $0.count <= count }
                state.waiting.removeAll { $0.count <= count }
                return (count, due.map(\.gate))
            }
            for gate in gates { gate.open() }
            return answer(number, request)
        }
    }

    private init(channel: any Channel, state: Shared) { (self.channel, self.state) = (channel, state) }

    /// Runs a server while a body runs.
    ///
    /// - Parameters:
    ///   - answer: Returns the answer to a request. Also receives the request's number; the first is 1.
    ///   - body: The body.
    static func withServer<Value>(
        _ answer: @escaping @Sendable (Int, Request) -> Answer = { _, _ in .accept },
        _ body: (FakeSentry) async throws -> Value
    ) async throws -> Value {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let state = Shared(answer)
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                state.state.withLock { $0.channels.append(channel) }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
                    try channel.pipeline.syncOperations.addHandler(Handler(state))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(FakeSentry(channel: channel, state: state)))
        } catch {
            result = .failure(error)
        }
        try await channel.close()
        for channel in state.state.withLock({ $0.channels }) { try? await channel.close() }
        try await group.shutdownGracefully()
        return try result.get()
    }

    var dsn: String { "http://key@127.0.0.1:\(channel.localAddress?.port ?? 0)/42" }
    var requests: [Request] { state.state.withLock { $0.requests } }
    var events: [Request] { requests.filter(\.isEvent) }
    var reports: [Request] { requests.filter { !$0.isEvent } }
    /// The number of connections on which requests arrived.
    var connections: Int { Set(requests.map(\.connection)).count }

    /// Waits until a number of requests were received.
    func waitForRequests(_ count: Int) async {
        let gate = Gate()
        let isReached = state.state.withLock { state in
            if state.requests.count >= count { return true }
            state.waiting.append((count, gate))
            return false
        }
        if !isReached { await gate.wait() }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = ByteBuffer

        private let state: Shared
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []

        init(_ state: Shared) { self.state = state }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): (self.head, body) = (head, [])
            case .body(let buffer): body += buffer.readableBytesView
            case .end:
                guard let head else { return }
                let request = Request(
                    path: head.uri, headers: head.headers, body: body, connection: ObjectIdentifier(context.channel))
                request.save()
                answer(state.receive(request), context)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private func answer(_ answer: Answer, _ context: ChannelHandlerContext) {
            func write(_ text: String) {
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
            }
            switch answer {
            case .status(let status, let fields):
                let lines = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
                write("HTTP/1.1 \(status) Status\r\n\(lines)Content-Length: 2\r\n\r\n{}")
            case .bytes(let text):
                write(text)
                context.close(promise: nil)
            case .hang: break
            case .close: context.close(promise: nil)
            }
        }
    }
}

extension FakeSentry.Request {
    private static let saved = Atomic(0)

    fileprivate func save() {
        guard let folder = ProcessInfo.processInfo.environment["SENTRY_ENVELOPES"] else { return }
        let number = Self.saved.wrappingAdd(1, ordering: .relaxed).newValue
        let suffix = headers.first(name: "Content-Encoding").map { ".\($0)" } ?? ""
        let file = URL(filePath: folder).appending(path: "\(getpid())-\(number).envelope\(suffix)")
        do { try Data(body).write(to: file) } catch { fatalError("\(file.path): \(error)") }
    }
}
