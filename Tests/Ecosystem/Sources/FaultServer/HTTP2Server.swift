public import Foundation
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL

/// A server on loopback that speaks HTTP/2 over TLS, and answers each request with one fault.
///
/// Its certificate is that of ``FaultServer``.
public final class HTTP2Server: Sendable {
    /// The server's action when a request's head has arrived.
    public enum Answer: Sendable, Hashable {
        /// It refuses the stream: the request has not been processed.
        case refuses
        /// It resets the stream.
        case resets
        /// It cancels the stream, whose request it might have processed.
        case cancels
        /// It begins a response, and resets the stream.
        case resetsBody
        /// It begins a response, and refuses the stream.
        case refusesBody
        /// It sends bytes that aren't frames, which is a connection error.
        case sendsNoFrames
        /// It sends GOAWAY; the request hasn't been processed.
        case goesAway
        /// It sends GOAWAY after this request, and then closes the connection.
        case goesAwayLater
        /// It closes the connection.
        case closes
        /// It sends a complete response with a body and a status that can be invalid.
        case status(String)
    }

    /// The URL of the server.
    public let url: URL
    private let counter: Watched<Int>

    private init(_ url: URL, _ counter: Watched<Int>) { (self.url, self.counter) = (url, counter) }

    /// How many requests have arrived.
    public var count: Int { counter.value }

    /// Runs a server while a body runs.
    ///
    /// - Parameters:
    ///   - answer: What the server does with each request.
    ///   - body: The body, which uses the server.
    /// - Returns: The body's result.
    /// - Throws: The body's error, or an error if no port could be opened.
    public static func withServer<Value>(
        _ answer: Answer,
        _ body: (HTTP2Server) async throws -> Value
    ) async throws -> Value {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let counter = Watched(0)
        let result: Result<Value, any Error>
        do {
            let channel = try await listen(on: group, answer, counter)
            guard let url = URL(string: "https://127.0.0.1:\(channel.localAddress?.port ?? 0)") else {
                preconditionFailure("the address is no URL")
            }
            result = .success(try await body(HTTP2Server(url, counter)))
        } catch {
            result = .failure(error)
        }
        try await group.shutdownGracefully()
        return try result.get()
    }

    private static func listen(
        on group: MultiThreadedEventLoopGroup,
        _ answer: Answer,
        _ counter: Watched<Int>
    ) async throws -> any Channel {
        let certificate = try NIOSSLCertificate(bytes: Array(Certificate.pem.utf8), format: .pem)
        let key = try NIOSSLPrivateKey(bytes: Array(Certificate.key.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(certificate)], privateKey: .privateKey(key))
        configuration.applicationProtocols = ["h2"]
        let tls = try NIOSSLContext(configuration: configuration)
        return try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: tls))
                    // Turn off validation, which would reject an invalid status.
                    try pipeline.addHandler(
                        NIOHTTP2Handler(mode: .server, headerBlockValidation: .disabled))
                    let multiplexer = HTTP2StreamMultiplexer(mode: .server, channel: channel) { stream in
                        stream.eventLoop.makeCompletedFuture {
                            try stream.pipeline.syncOperations.addHandler(StreamHandler(answer, channel, counter))
                        }
                    }
                    try pipeline.addHandler(multiplexer)
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
    }
}

/// Answers one request.
private final class StreamHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let answer: HTTP2Server.Answer
    private let connection: any Channel
    private let counter: Watched<Int>

    init(_ answer: HTTP2Server.Answer, _ connection: any Channel, _ counter: Watched<Int>) {
        (self.answer, self.connection, self.counter) = (answer, connection, counter)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .headers = unwrapInboundIn(data) else { return }
        counter.update { $0 += 1 }
        switch answer {
        case .refuses: write(.rstStream(.refusedStream), context)
        case .resets: write(.rstStream(.internalError), context)
        case .cancels: write(.rstStream(.cancel), context)
        case .resetsBody:
            write(.headers(.init(headers: [":status": "200"])), context)
            write(.rstStream(.internalError), context)
        case .refusesBody:
            write(.headers(.init(headers: [":status": "200"])), context)
            write(.rstStream(.refusedStream), context)
        case .sendsNoFrames:
            let bytes = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            let parser = try? connection.pipeline.syncOperations.context(handlerType: NIOHTTP2Handler.self)
            parser?.writeAndFlush(NIOAny(bytes), promise: nil)
        case .goesAway: goAway(lastStream: .rootStream)
        case .goesAwayLater:
            goAway(lastStream: .maxID)
            connection.close(promise: nil)
        case .closes: connection.close(promise: nil)
        case .status(let status):
            write(.headers(.init(headers: [":status": status, "content-type": "application/json"])), context)
            write(.data(.init(data: .byteBuffer(ByteBuffer(string: "{}")), endStream: true)), context)
        }
    }

    private func write(_ payload: HTTP2Frame.FramePayload, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(payload), promise: nil)
    }

    private func goAway(lastStream: HTTP2StreamID) {
        let payload = HTTP2Frame.FramePayload.goAway(
            lastStreamID: lastStream, errorCode: .noError, opaqueData: nil)
        connection.writeAndFlush(HTTP2Frame(streamID: .rootStream, payload: payload), promise: nil)
    }
}
