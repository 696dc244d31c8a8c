import ErrorRouting
import Foundation
import Testing

@testable import ErrorRoutingSentry

@Suite("An event for Sentry has the documented form and stays within its limits", .timeLimit(.minutes(2)))
struct SentryEventTests {
    private let source = ErrorReport.Source(fileID: "Shop/Orders.swift", line: 7)

    private func event(_ report: ErrorReport, tags: [String: String]? = nil) -> SentryEvent {
        SentryEvent(
            report, level: .error, tags: tags ?? SentryEvent.dimensions(of: report),
            of: .init(release: "shop@1.4.0", environment: "production", serverName: "host-1"))
    }

    /// The event as JSON, within its limits, as it is sent.
    private func json(_ event: SentryEvent) throws -> NSDictionary {
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(event.bounded))
        return try #require(object as? NSDictionary)
    }

    @Test func `it has the fields that Sentry's documents describe`() throws {
        let error = CheckoutFailed(underlyingErrors: [OrderError.outOfStock(item: "tea"), Placed()])
        let outcome = HandleOutcome(
            disposition: .handled, rule: RuleDescription(matcher: "type(CheckoutFailed)", source: source))
        let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let report = ErrorReport(
            error: error, source: source, metadata: ["order": "7", "traceparent": trace],
            scope: ["POST /orders"], occurrences: 3, outcome: outcome)
        let sent = event(report)
        let module = "ErrorRoutingSentryTests"
        func exception(_ type: String, _ value: String) -> [String: Any] {
            [
                "type": type, "value": value, "module": module,
                "mechanism": ["type": "swift-error-bus", "handled": true] as [String: Any],
            ]
        }
        let expected: [String: Any] = [
            "event_id": sent.id, "timestamp": 0, "platform": "other",
            "level": "error", "logger": "Shop", "transaction": "POST /orders", "server_name": "host-1",
            "release": "shop@1.4.0", "environment": "production",
            "fingerprint": ["\(module).CheckoutFailed Shop/Orders.swift"],
            "tags": [
                "disposition": "handled", "role": "failure", "type": "\(module).CheckoutFailed",
                "cause": "\(module).OrderError",
            ],
            "extra": [
                "order": "7", "error.source": "Shop/Orders.swift:7", "error.occurrences": "3",
                "error.rule": "type(CheckoutFailed) at Shop/Orders.swift:7",
            ],
            "contexts": [
                "trace": [
                    "type": "trace", "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "span_id": "00f067aa0ba902b7",
                ]
            ],
            "exception": [
                "values": [
                    exception("Placed.declined", "declined"),
                    exception("OrderError.outOfStock", "there is no tea left"),
                    exception("CheckoutFailed", "the checkout failed"),
                ]
            ],
            "sdk": ["name": "swift-error-bus.swift", "version": "0.1.0"],
        ]
        let json = try json(sent)
        let time = try #require(json["timestamp"] as? Double)
        #expect(abs(time - sent.timestamp.timeIntervalSince1970) < 0.001)
        for (key, value) in expected where key != "timestamp" {
            #expect(json[key] as? NSObject == value as? NSObject, "\(key)")
        }
        #expect(json.count == expected.count)
        #expect(sent.id.utf8.count == 32 && sent.id.allSatisfy { $0.isHexDigit && !$0.isUppercase })
        #expect(abs(sent.timestamp.timeIntervalSinceNow) < 60)
    }

    @Test func `it has the frames of the origin, an NSError's domain and code, and whether a rule handled the error`()
        throws
    {
        let unmatched = HandleOutcome(disposition: .unmatched)
        let placed = try json(event(ErrorReport(error: Placed(), source: source, outcome: unmatched)))
        let values = try #require((placed["exception"] as? [String: [[String: Any]]])?["values"])
        let trace = try #require(values[0]["stacktrace"] as? NSDictionary)
        let frame: [String: Any] = ["filename": "Shop/Payments.swift", "lineno": 12, "in_app": true]
        #expect(trace == ["frames": [frame]] as NSDictionary)
        #expect((values[0]["mechanism"] as? [String: Any])?["handled"] as? Bool == false)

        let error = NSError(domain: "shop", code: -5)
        let bridged = try json(event(ErrorReport(error: error, source: source, outcome: unmatched)))
        let mechanism = try #require(
            (bridged["exception"] as? [String: [[String: Any]]])?["values"]?[0]["mechanism"] as? [String: Any])
        #expect(mechanism["meta"] as? NSDictionary == ["ns_error": ["domain": "shop", "code": -5] as [String: Any]])

        var frames = event(ErrorReport(error: Placed(), source: source))
        frames.exceptions[0].frames = [
            ErrorOrigin.Frame(address: 0xff, function: "inner()", image: "shop"), ErrorOrigin.Frame(),
            ErrorOrigin.Frame(function: "outer()", file: "Shop/Outer.swift", line: 3),
        ]
        let encoded = try #require(
            (try json(frames)["exception"] as? [String: [[String: Any]]])?["values"]?[0]["stacktrace"] as? NSDictionary)
        let expected: [[String: Any]] = [
            ["function": "outer()", "filename": "Shop/Outer.swift", "lineno": 3, "in_app": true],
            ["function": "inner()", "package": "shop", "instruction_addr": "0xff", "in_app": true],
        ]
        #expect(encoded == ["frames": expected] as NSDictionary)
    }

    @Test func `it leaves out fields without a value`() throws {
        let report = ErrorReport(error: OrderError.unpaid, source: .init(fileID: "Shop/GET /orders", line: 0))
        let sent = SentryEvent(
            report, level: .fatal, tags: [:], of: .init(release: nil, environment: "test", serverName: nil))
        let json = try json(sent)
        for key in ["release", "server_name", "transaction", "contexts"] { #expect(json[key] == nil, "\(key)") }
        #expect(json["extra"] as? [String: String] == ["error.source": "Shop/GET /orders"])
        #expect(json["level"] as? String == "fatal")
    }

    @Test func `a trace is read as W3C defines it, and an invalid trace stays in the metadata`() {
        let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7")
        for valid in ["00-\(trace)-\(span)-01", "01-\(trace)-\(span)-01-more"] {
            #expect(SentryEvent.Trace(traceparent: valid)?.traceID == trace, "\(valid)")
        }
        let zeros = String(repeating: "0", count: 32)
        for invalid in [
            "", "00", "00-\(trace)-\(span)", "ff-\(trace)-\(span)-01", "00-\(zeros)-\(span)-01",
            "00-\(trace)-\(zeros.prefix(16))-01", "00-\(trace.uppercased())-\(span)-01", "00-\(trace)0-\(span)-01",
            "000-\(trace)-\(span)-01", "00-\(trace.dropLast())é-\(span)-01",
        ] {
            #expect(SentryEvent.Trace(traceparent: invalid) == nil, "\(invalid)")
        }
        let kept = event(ErrorReport(error: OrderError.unpaid, source: source, metadata: ["traceparent": "none"]))
        #expect(kept.trace == nil && kept.extra["traceparent"] == "none")
    }

    @Test func `it is truncated to Sentry's limits`() throws {
        let long = String(repeating: "é", count: 20_000)
        let extra = Dictionary(uniqueKeysWithValues: (0..<40).map { ("key \($0)", long) })
        let causes = (0..<63).map { _ in OrderError.outOfStock(item: long) }
        let report = ErrorReport(
            error: CheckoutFailed(underlyingErrors: causes), source: .init(fileID: "\(long)/a", line: 1),
            metadata: extra,
            scope: [long])
        var sent = event(
            report,
            tags: [
                "key with spaces, é": "two\nlines", "empty": "", "blank": " ", "": "no key", long: long, "user": "anna",
            ])
        sent.exceptions[0].module = long
        let bounded = sent.bounded
        #expect(
            bounded.tags["key_with_spaces___"] == "two lines" && bounded.tags["tag.user"] == "anna"
                && bounded.tags.count == 3)
        #expect(bounded.tags.allSatisfy { $0.key.unicodeScalars.count <= 200 && $0.value.unicodeScalars.count <= 200 })
        #expect(bounded.extra.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } <= 200_000)
        #expect(bounded.extra.count >= 6 && bounded.exceptions.count == 50)
        // The posted error isn't removed.
        #expect(bounded.exceptions[0].type == "CheckoutFailed")
        #expect(bounded.exceptions[1].value.unicodeScalars.count <= 8_192 && bounded.exceptions[1].value.hasSuffix("…"))
        #expect(bounded.logger.unicodeScalars.count == 64 && bounded.transaction?.unicodeScalars.count == 200)
        // Check the usual limits, and then the stricter limits for an event in which JSON escapes each character.
        #expect(try Envelope(sent, sentAt: Date()).bytes.count < 1 << 20)
        for index in sent.exceptions.indices { sent.exceptions[index].value = String(repeating: "\u{1}", count: 9_000) }
        #expect(try JSONEncoder().encode(sent.bounded).count > 1 << 20)
        #expect(try Envelope(sent, sentAt: Date()).bytes.count < 1 << 20)
        #expect(SentryEvent.truncated("ééé", 3) == "ééé" && SentryEvent.truncated("éééé", 3) == "éé…")
    }

    @Test func `its envelope is two lines of headers and the event, and gzip makes the envelope smaller`() throws {
        let envelope = try Envelope(event(ErrorReport(error: OrderError.unpaid, source: source)), sentAt: Date())
        let lines = envelope.bytes.split(separator: 0x0A)
        #expect(lines.count == 3 && envelope.bytes.last == 0x0A)
        let item = try #require(JSONSerialization.jsonObject(with: lines[1]) as? [String: Any])
        #expect(item["length"] as? Int == lines[2].count)
        let compressed = try envelope.compressed
        #expect(compressed.starts(with: [0x1F, 0x8B]) && compressed.count < envelope.bytes.count)
    }
}
