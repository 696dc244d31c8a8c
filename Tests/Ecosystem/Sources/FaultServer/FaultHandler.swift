import NIOCore
import NIOHTTP1

/// Reads HTTP requests and performs the steps that they select.
final class FaultHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    // How many bytes of a body are kept. The rest is read and discarded.
    private static let keptBody = 1 << 20
    // How many pieces are written before other work on the event loop gets its turn.
    private static let piecesInARow = 16

    private let counts: Watched<RequestCounts>
    private let unread: Watched<[ObjectIdentifier: any Channel]>
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var requestCount = 0
    private var keepsConnection = true
    private var steps: ArraySlice<Step> = []
    private var pause: Scheduled<Void>?
    private var isPlaying = false
    private var isWaitingForTurn = false

    init(counts: Watched<RequestCounts>, unread: Watched<[ObjectIdentifier: any Channel]>) {
        self.counts = counts
        self.unread = unread
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = []
            if head.uri == "/unread" { stopReading(context) }
            if head.headers["Expect"].contains(where: { $0.lowercased() == "100-continue" }) {
                write([UInt8].head(100), context)
            }
        case .body(let buffer):
            let room = Self.keptBody - body.count
            body += buffer.readableBytesView.prefix(room)
        case .end:
            guard let head else { return }
            self.head = nil
            let request = Request(head, body: body, isOnKeptConnection: requestCount > 0)
            body = []
            requestCount += 1
            keepsConnection = request.wantsConnectionKept
            counts.update { $0.add(request.key) }
            steps = Fault.steps(for: request)[...]
            play(context)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        play(context)
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        steps = []
        pause?.cancel()
        pause = nil
        context.fireChannelInactive()
    }

    /// Answers invalid requests with 400, as web servers do; for example, a TLS handshake on the plain port.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError { write([UInt8].head(400, [("Connection", "close")]), context) }
        context.close(promise: nil)
    }

    private func play(_ context: ChannelHandlerContext) {
        // A flush might make the channel writable immediately, which calls this function again.
        guard !isPlaying, !isWaitingForTurn, pause == nil else { return }
        isPlaying = true
        defer { isPlaying = false }
        var pieces = 0
        while context.channel.isActive, let step = steps.popFirst() {
            switch step {
            case .bytes(let bytes):
                write(bytes, context)
            case .repeated(let piece, let times):
                guard context.channel.isWritable else {
                    steps = [step] + steps
                    return
                }
                if times > 1 { steps = [.repeated(piece, times - 1)] + steps }
                context.writeAndFlush(wrapOutboundOut(piece), promise: nil)
                pieces += 1
                if pieces == Self.piecesInARow { return playLater(context) }
            case .pause(let time):
                return play(context, after: time)
            case .done:
                if !keepsConnection { context.close(promise: nil) }
            case .close:
                // Wait until everything that was written has been sent.
                let sent = context.eventLoop.makePromise(of: Void.self)
                context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
                sent.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
            case .reset:
                reset(context)
            }
        }
    }

    /// Stops reading the request until the server resumes reading.
    private func stopReading(_ context: ChannelHandlerContext) {
        let channel = context.channel
        try? channel.syncOptions?.setOption(.autoRead, value: false)
        unread.update { $0[ObjectIdentifier(channel)] = channel }
    }

    private func playLater(_ context: ChannelHandlerContext) {
        isWaitingForTurn = true
        context.eventLoop.assumeIsolated().execute {
            self.isWaitingForTurn = false
            self.play(context)
        }
    }

    private func play(_ context: ChannelHandlerContext, after time: TimeAmount) {
        pause = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
            self.pause = nil
            self.play(context)
        }
    }

    private func reset(_ context: ChannelHandlerContext) {
        // Closing a socket with a linger time of zero resets the connection.
        let linger = ChannelOptions.Types.SocketOption(level: .socket, name: .so_linger)
        let options = context.channel.syncOptions
        try? options?.setOption(linger, value: SocketOptionValue(bitPattern: 1))
        context.close(promise: nil)
    }

    private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
    }
}
