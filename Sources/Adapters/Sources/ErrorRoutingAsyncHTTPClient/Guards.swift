import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2

/// Closes a connection if a response on it has a status below 100.
///
/// async-http-client treats such a status as an interim response, and traps when the body arrives.
final class StatusGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private var hasEnded = false

    /// Adds a guard to a connection, between the parser and the client's own handlers.
    @Sendable
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(StatusGuard(), position: .after(parser))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if hasEnded { return }
        guard case .head(let head) = unwrapInboundIn(data), head.status.code < 100 else {
            return context.fireChannelRead(data)
        }
        hasEnded = true
        context.fireErrorCaught(HTTPParserError.invalidStatus)
        context.close(promise: nil)
    }
}

/// Watches the frames of an HTTP/2 connection, and corrects three behaviors.
///
/// - A stream whose ID is above the last ID in a GOAWAY wasn't processed. SwiftNIO closes it like a cancelled stream;
///   this guard closes it like a refused stream.
/// - SwiftNIO crashes on a negative status. This guard replaces an invalid status with a value that SwiftNIO rejects.
/// - After a connection error, SwiftNIO stops reading, but async-http-client would continue to send requests on the
///   connection. This guard closes the connection.
final class StreamGuard: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame

    private var lastStream: HTTP2StreamID?

    /// Adds a guard to a connection, between the parser and the client's own handlers.
    @Sendable
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: NIOHTTP2Handler.self)
            try pipeline.addHandler(StreamGuard(), position: .after(parser))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var frame = unwrapInboundIn(data)
        switch frame.payload {
        case .goAway(let last, _, _):
            lastStream = min(lastStream ?? last, last)
        case .headers(var headers):
            guard let status = headers.headers.first(name: ":status"), !Self.isStatus(status) else { break }
            headers.headers.replaceOrAdd(name: ":status", value: "none")
            frame.payload = .headers(headers)
        default:
            break
        }
        context.fireChannelRead(wrapInboundOut(frame))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(error)
        if !(error is NIOHTTP2Errors.StreamError) { context.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let closed = event as? StreamClosedEvent, closed.reason == .cancel, let lastStream,
            closed.streamID > lastStream
        {
            let refused = StreamClosedEvent(streamID: closed.streamID, reason: .refusedStream)
            return context.fireUserInboundEventTriggered(refused)
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Returns whether a string is a valid status in HTTP/2, which doesn't allow 101 (RFC 9113, section 8.6).
    private static func isStatus(_ text: String) -> Bool {
        Int(text).map { (100...999).contains($0) && $0 != 101 } ?? false
    }
}
