import ErrorRouting
import Foundation

extension SentryEvent: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id = "event_id"
        case timestamp, platform, level, logger, transaction, release, environment, fingerprint, tags, extra, contexts
        case exception, sdk
        case serverName = "server_name"
    }

    /// Encodes the event as Sentry's documentation describes it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(timestamp.timeIntervalSince1970, forKey: .timestamp)
        // Send "other", because Sentry doesn't have a platform for Swift on servers: for "cocoa" and "native", it would
        // look for symbols.
        try container.encode("other", forKey: .platform)
        try container.encode(level, forKey: .level)
        if !logger.isEmpty { try container.encode(logger, forKey: .logger) }
        try container.encodeIfPresent(transaction, forKey: .transaction)
        try container.encodeIfPresent(serverName, forKey: .serverName)
        try container.encodeIfPresent(release, forKey: .release)
        try container.encode(environment, forKey: .environment)
        try container.encode(fingerprint, forKey: .fingerprint)
        try container.encode(tags, forKey: .tags)
        try container.encode(extra, forKey: .extra)
        if let trace {
            let context = ["type": "trace", "trace_id": trace.traceID, "span_id": trace.spanID]
            try container.encode(["trace": context], forKey: .contexts)
        }
        // Reverse the order, because Sentry expects a cause before the error that it caused.
        let values = exceptions.reversed().map { ExceptionValue($0, isHandled: isHandled) }
        try container.encode(["values": values], forKey: .exception)
        try container.encode(["name": Self.clientName, "version": Self.clientVersion], forKey: .sdk)
    }
}

/// An exception as Sentry's documentation describes it.
private struct ExceptionValue: Encodable {
    struct Mechanism: Encodable {
        struct Meta: Encodable {
            struct NSError: Encodable {
                let domain: String
                let code: Int
            }

            enum CodingKeys: String, CodingKey { case error = "ns_error" }

            let error: NSError
        }

        let type = "swift-error-bus"
        let handled: Bool
        let meta: Meta?
    }

    struct Frame: Encodable {
        enum CodingKeys: String, CodingKey {
            case function, package
            case file = "filename"
            case line = "lineno"
            case address = "instruction_addr"
            case isOwn = "in_app"
        }

        let function: String?
        let file: String?
        let line: UInt?
        let package: String?
        let address: String?
        let isOwn = true
    }

    let type: String
    let value: String
    let module: String?
    let mechanism: Mechanism
    let stacktrace: [String: [Frame]]?

    init(_ exception: SentryEvent.Exception, isHandled: Bool) {
        (type, value, module) = (exception.type, exception.value, exception.module)
        var meta: Mechanism.Meta?
        if let domain = exception.domain, let code = exception.code {
            meta = Mechanism.Meta(error: .init(domain: domain, code: code))
        }
        mechanism = Mechanism(handled: isHandled, meta: meta)
        // Reverse the order, because Sentry expects the innermost frame last. Drop frames without a function, a file,
        // or an address, because they don't contain information.
        let frames = exception.frames.reversed().filter { $0.function != nil || $0.file != nil || $0.address != nil }
        stacktrace = frames.isEmpty ? nil : ["frames": frames.map(Frame.init)]
    }
}

extension ExceptionValue.Frame {
    fileprivate init(_ frame: ErrorOrigin.Frame) {
        self.init(
            function: frame.function, file: frame.file, line: frame.line.flatMap { $0 == 0 ? nil : $0 },
            package: frame.image, address: frame.address.map { "0x" + String($0, radix: 16) })
    }
}
