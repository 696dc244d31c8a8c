import NIOCore
import NIOHTTP1

/// Ends a connection on which a response has a status below 100.
///
/// async-http-client takes such a status for one that only announces a response, and traps when its body comes.
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
