public import AsyncHTTPClient
public import ErrorRoutingUpstream
public import NIOCore
public import NIOHTTP1
public import NIOHTTP2
public import NIOHTTPCompression
public import NIOPosix
public import NIOSSL

// The errors that `ErrorMapping` maps: errors of async-http-client and of the parts of SwiftNIO that it uses.

extension HTTPClientError: UpstreamFailure {
    /// Whether one of the client's time limits expired.
    public var isUpstreamTimeout: Bool { ErrorMapping.isTimeout(self) }

    /// Whether the client was shut down before or during the request.
    public var isClientShutDown: Bool { self == .alreadyShutdown || self == .cancelled }
}

extension ChannelError: UpstreamFailure {
    /// Whether establishing the connection took too long.
    public var isUpstreamTimeout: Bool { ErrorMapping.isTimeout(self) }
}

extension NIOConnectionError: UpstreamFailure {
    /// Whether establishing the connection to one of the addresses took too long.
    public var isUpstreamTimeout: Bool { ErrorMapping.isTimeout(self) }
}

extension IOError: UpstreamFailure {
    /// Whether the system gave up on the connection.
    public var isUpstreamTimeout: Bool { ErrorMapping.isTimeout(self) }
}

extension SocketAddressError: UpstreamFailure {}
extension HTTPParserError: UpstreamFailure {}
extension NIOHTTPDecompression.DecompressionError: UpstreamFailure {}
extension NIOHTTPDecompression.ExtraDecompressionError: UpstreamFailure {}

extension NIOSSLError: UpstreamFailure {}
extension NIOSSLExtraError: UpstreamFailure {}
extension BoringSSLError: UpstreamFailure {}
extension NIOSSLCloseTimedOutError: UpstreamFailure {}

// The errors of HTTP/2: errors of the connection, of its streams, and of servers that violate the protocol.
extension NIOHTTP2Errors.StreamError: UpstreamFailure {}
extension NIOHTTP2Errors.StreamClosed: UpstreamFailure {}
extension NIOHTTP2Errors.NoSuchStream: UpstreamFailure {}
extension NIOHTTP2Errors.IOOnClosedConnection: UpstreamFailure {}
extension NIOHTTP2Errors.CreatedStreamAfterGoaway: UpstreamFailure {}
extension NIOHTTP2Errors.NoStreamIDAvailable: UpstreamFailure {}
extension NIOHTTP2Errors.BadStreamStateTransition: UpstreamFailure {}
extension NIOHTTP2Errors.ContentLengthViolated: UpstreamFailure {}
extension NIOHTTP2Errors.ExcessiveContinuationFrames: UpstreamFailure {}
extension NIOHTTP2Errors.ExcessiveControlFrames: UpstreamFailure {}
extension NIOHTTP2Errors.ExcessiveEmptyDataFrames: UpstreamFailure {}
extension NIOHTTP2Errors.ExcessiveRSTFrames: UpstreamFailure {}
extension NIOHTTP2Errors.ExcessivelyLargeHeaderBlock: UpstreamFailure {}
extension NIOHTTP2Errors.FlowControlViolation: UpstreamFailure {}
extension NIOHTTP2Errors.InvalidFlowControlWindowSize: UpstreamFailure {}
extension NIOHTTP2Errors.InvalidPseudoHeaders: UpstreamFailure {}
extension NIOHTTP2Errors.InvalidStatusValue: UpstreamFailure {}
extension NIOHTTP2Errors.MaxStreamsViolation: UpstreamFailure {}
extension NIOHTTP2Errors.MissingPseudoHeader: UpstreamFailure {}
extension NIOHTTP2Errors.ReceivedBadSettings: UpstreamFailure {}
extension NIOHTTP2Errors.UnableToParseFrame: UpstreamFailure {}
