import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPCompression

/// The contents of one request to Sentry: a header line and one item, which is an event or a client report.
///
/// Sentry allows only one event per envelope.
struct Envelope {
    private struct Header: Encodable {
        enum CodingKeys: String, CodingKey {
            case id = "event_id"
            case time = "sent_at"
            case sdk
        }

        let id: String?
        let time: String
        let sdk = ["name": SentryEvent.clientName, "version": SentryEvent.clientVersion]
    }

    private struct ItemHeader: Encodable {
        enum CodingKeys: String, CodingKey {
            case type, length
            case contentType = "content_type"
        }

        let type: String
        let length: Int
        let contentType = "application/json"
    }

    private struct ClientReport: Encodable {
        struct Discarded: Encodable {
            let reason: String
            let category = "error"
            let quantity: Int
        }

        enum CodingKeys: String, CodingKey {
            case timestamp
            case discarded = "discarded_events"
        }

        let timestamp: Double
        let discarded: [Discarded]
    }

    /// The maximum size of an event, above which Sentry rejects it.
    private static let eventLimit = 1 << 20

    let bytes: Data

    /// Creates the envelope of an event, truncating the event to Sentry's limits.
    init(_ event: SentryEvent, sentAt date: Date) throws {
        var payload = try Self.encoder.encode(event.bounded)
        if payload.count > Self.eventLimit { payload = try Self.encoder.encode(event.small) }
        try self.init(type: "event", payload, id: event.id, date)
    }

    /// Creates the envelope of a client report.
    init(_ counts: [SentryDiscardReason: Int], sentAt date: Date) throws {
        let discarded = counts.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { ClientReport.Discarded(reason: $0.key.rawValue, quantity: $0.value) }
        let report = ClientReport(timestamp: date.timeIntervalSince1970, discarded: discarded)
        try self.init(type: "client_report", Self.encoder.encode(report), id: nil, date)
    }

    private init(type: String, _ payload: Data, id: String?, _ date: Date) throws {
        let time = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        var bytes = try Self.encoder.encode(Header(id: id, time: time))
        bytes.append(0x0A)
        bytes.append(try Self.encoder.encode(ItemHeader(type: type, length: payload.count)))
        bytes.append(0x0A)
        bytes.append(payload)
        bytes.append(0x0A)
        self.bytes = bytes
    }

    /// An encoder for JSON without line breaks and with keys in a fixed order.
    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// The envelope, compressed with gzip.
    ///
    /// SwiftNIO's compressor is a channel handler, so this uses a channel that exists only in memory.
    var compressed: Data {
        get throws {
            let channel = EmbeddedChannel()
            try channel.pipeline.syncOperations.addHandler(NIOHTTPRequestCompressor(encoding: .gzip))
            let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/")
            channel.write(HTTPClientRequestPart.head(head), promise: nil)
            channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: bytes))), promise: nil)
            channel.write(HTTPClientRequestPart.end(nil), promise: nil)
            channel.flush()
            var result = Data()
            while let part = try channel.readOutbound(as: HTTPClientRequestPart.self) {
                if case .body(.byteBuffer(let buffer)) = part { result.append(contentsOf: buffer.readableBytesView) }
            }
            _ = try channel.finish(acceptAlreadyClosed: true)
            return result
        }
    }
}
