import AsyncHTTPClient
import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import InMemoryLogging
import Logging
import NIOHTTP1
import Synchronization
import Testing

@testable import ErrorRoutingSentry

@Suite("A Sentry sink sends each chosen report once", .timeLimit(.minutes(2)))
struct SentrySinkTests {
    private typealias Configuration = SentrySink.Configuration

    /// Attempts that follow each other without a delay.
    private static let impatient = RetryPolicy(maxAttempts: 2, backoff: .constant(.zero))

    private func report(
        _ error: any Error, _ disposition: HandleOutcome.Disposition = .unmatched, as role: ErrorReport.Role = .failure
    ) -> ErrorReport {
        ErrorReport(
            error: error, role: role, source: .init(fileID: "Shop/Orders.swift", line: 7), metadata: ["order": "7"],
            outcome: HandleOutcome(disposition: disposition))
    }

    /// Sends reports to a server, closes the sink, and returns its statistics.
    private func send(
        _ reports: [ErrorReport], to server: FakeSentry, _ configuration: Configuration = .init(retry: impatient),
        within limit: Duration = .seconds(60)
    ) async throws -> SentryStatistics {
        let sink = try SentrySink(
            dsn: server.dsn, release: "shop@1.4.0", serverName: "host-1", configuration: configuration)
        sink.start()
        for report in reports { sink.receive(report) }
        await sink.close(within: limit)
        return sink.statistics
    }

    @Test(arguments: [false, true]) func `it sends each report as an envelope, in order, over one connection`(
        isCompressed: Bool
    ) async throws {
        try await FakeSentry.withServer { server in
            let reports = (0..<20).map { report(OrderError.outOfStock(item: "tea \($0)")) }
            let statistics = try await send(reports, to: server, Configuration(isCompressed: isCompressed))
            #expect(statistics.description == "received: 20, sent: 20, discarded: 0, failed: 0, pending: 0")
            #expect(server.requests.count == 20 && server.connections == 1)
            let request = try #require(server.requests.first)
            #expect(request.path == "/api/42/envelope/")
            #expect(request.headers["Content-Type"] == ["application/x-sentry-envelope"])
            #expect(request.headers["Content-Encoding"] == (isCompressed ? ["gzip"] : []))
            #expect(request.headers["X-Sentry-Auth"][0].hasSuffix(", sentry_key=key"))
            if isCompressed { return }
            let values = server.events.map {
                ($0.payload["exception"] as? [String: [[String: Any]]])?["values"]?.last?["value"] as? String
            }
            #expect(values == (0..<20).map { "there is no tea \($0) left" })
            #expect(Set(server.events.map { $0.payload["event_id"] as? String }).count == 20)
        }
    }

    @Test func `it chooses failures without a rule, failed actions, and drops, unless the map decides`() async throws {
        let failure = ActionFailure(
            error: OrderError.unpaid, report: report(OrderError.unpaid, .handled),
            rule: RuleDescription(matcher: "any", source: .init(fileID: "a", line: 1)))
        let reports = [
            report(OrderError.unpaid), report(OrderError.unpaid, .handled), report(OrderError.unpaid, .ignored),
            report(OrderError.unpaid, as: .attempt), report(OrderError.unpaid, as: .notice),
            report(failure, .handled), report(ErrorsDropped(count: 3, byType: [:]), .handled), report(Placed()),
            report(Placed(), .handled),
        ]
        func levels(_ map: ErrorMap<SentryLevel?>) -> [SentryLevel?] {
            reports.map(Configuration(levels: map).level)
        }
        #expect(levels(.init()) == [.error, nil, nil, nil, nil, .error, .fatal, .error, nil])
        let map = ErrorMap<SentryLevel?>().on(Placed.self, .warning).on(ErrorsDropped.self, nil)
        #expect(levels(map) == [.error, nil, nil, nil, nil, .error, nil, .warning, .warning])
        let all: [SentryLevel?] = [.info, .info, .info, nil, .info, .info, .info, .info, .info]
        #expect(levels(ErrorMap(default: .info)) == all)
    }

    @Test func `it passes each event to beforeSend, and last to redact`() async throws {
        try await FakeSentry.withServer { server in
            let configuration = Configuration(
                redact: { event in
                    var event = event
                    event.extra = event.extra.filter { $0.key != "secret" }
                    event.exceptions[0].value = "…"
                    return event
                },
                beforeSend: { event, report in
                    if report.error is Placed { return nil }
                    var event = event
                    event.extra["secret"] = report.metadata["order"]
                    return event
                })
            let statistics = try await send(
                [report(Placed()), report(OrderError.outOfStock(item: "tea"))], to: server, configuration)
            #expect(statistics.reasons == [.beforeSend: 1] && statistics.sent == 1)
            let event = try #require(server.events.first)
            #expect(event.lines.joined().contains("tea") == false)
            #expect((event.payload["extra"] as? [String: String])?["secret"] == nil)
            #expect(server.reports.map(\.discarded) == [["before_send": 1]])
        }
    }

    @Test func `an event that the server has answered isn't sent again, and a client report counts it`() async throws {
        for status in [400, 401, 413, 500, 503, 302] {
            try await FakeSentry.withServer({ number, _ in number == 1 ? .status(status) : .accept }) { server in
                let statistics = try await send([report(OrderError.unpaid), report(OrderError.unpaid)], to: server)
                #expect(statistics.reasons == [.sendError: 1] && statistics.sent == 1, "\(status)")
                #expect(server.events.count == 2 && server.reports.map(\.discarded) == [["send_error": 1]], "\(status)")
            }
        }
    }

    @Test func `during a rate limit for errors it sends no event, but still sends a client report`() async throws {
        let limit = [("X-Sentry-Rate-Limits", "60:error;default:key"), ("Retry-After", "60")]
        for status in [200, 429] {
            try await FakeSentry.withServer({ _, _ in .status(status, limit) }) { server in
                let statistics = try await send(Array(repeating: report(OrderError.unpaid), count: 5), to: server)
                #expect(statistics.sent == (status == 200 ? 1 : 0) && statistics.reasons[.rateLimit] == 4)
                #expect(statistics.reasons[.refused] == (status == 200 ? nil : 1) && statistics.pending == 0)
                #expect(server.events.count == 1 && server.reports.map(\.discarded) == [["ratelimit_backoff": 4]])
            }
        }
        // If the limit doesn't name a category, not even a client report is sent.
        for fields in [[("Retry-After", "60")], [], [("X-Sentry-Rate-Limits", "60::key")]] {
            try await FakeSentry.withServer({ _, _ in .status(429, fields) }) { server in
                let statistics = try await send(Array(repeating: report(OrderError.unpaid), count: 3), to: server)
                #expect(statistics.reasons == [.refused: 1, .rateLimit: 2] && server.requests.count == 1)
            }
        }
    }

    @Test(
        arguments: [
            .close, .hang, .bytes("HTTP/1.1 200 OK\r\nContent-Le"), .bytes("garbage\r\n\r\n"),
            .bytes("HTTP/1.1 99 x\r\n\r\n"),
            .bytes("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"), .bytes(""),
        ] as [FakeSentry.Answer])
    func `a connection that breaks, hangs, or carries garbage loses that event, but no later one`(
        answer: FakeSentry.Answer
    ) async throws {
        try await FakeSentry.withServer({ number, _ in number <= 2 ? answer : .accept }) { server in
            let isBroken =
                if case .bytes(let text) = answer { text.contains("arbage") || text.contains(" 99 ") } else { false }
            let statistics = try await send(
                [report(OrderError.unpaid), report(Placed())], to: server,
                Configuration(timeout: .seconds(2), retry: Self.impatient))
            #expect(statistics.reasons == [.networkError: 1] && statistics.sent == 1, "\(answer)")
            // Garbage counts as an answer, so the event isn't sent again. But the client might detect the end of the
            // connection first.
            let first = server.events.filter {
                $0.payload["event_id"] as? String == server.events[0].payload["event_id"] as? String
            }
            #expect(first.count == 2 || isBroken && first.count == 1, "\(answer)")
            // The server breaks the first two connections, whichever requests they carry.
            #expect(server.reports.last?.discarded == ["network_error": 1])
        }
    }

    @Test func `an event is sent again after a network failure, with the same identifier`() async throws {
        try await FakeSentry.withServer({ number, _ in number == 1 ? .close : .accept }) { server in
            let statistics = try await send([report(OrderError.unpaid)], to: server)
            #expect(statistics.sent == 1 && statistics.failed == 0)
            #expect(server.events.count == 2 && Set(server.events.map { $0.payload["event_id"] as? String }).count == 1)
        }
    }

    @Test func `a server that isn't there, or a name that doesn't exist, loses the event`() async throws {
        for dsn in ["http://key@127.0.0.1:1/1", "http://key@does-not-exist.invalid/1"] {
            let sink = try SentrySink(
                dsn: dsn, configuration: .init(timeout: .seconds(5), retry: RetryPolicy(maxAttempts: 1)))
            sink.start()
            sink.receive(report(OrderError.unpaid))
            let text = await sink.close(within: .seconds(60))
            #expect(
                text == "Sentry: received: 1, sent: 0, discarded: 0, failed: 1 (network_error 1), pending: 0", "\(dsn)")
        }
    }

    /// Sentry's own parsers can read these envelopes too; see ``FakeSentry``.
    @Test func `events with strings of any kind and any length are accepted unchanged`() async throws {
        let texts = [
            "", " ", "\n", "a\r\nb\u{2028}\u{85}c", "\0\u{1}\u{7F}", "\u{1F469}\u{200D}\u{1F52C}e\u{301}",
            "{\"a\": [\\]}", "{{ default }}",
            "\u{202E}evil\u{FEFF}", String(repeating: "é", count: 20_000), String(repeating: "a\n", count: 9_000),
            "\u{FFFF}",
        ]
        let reports = texts.map { text in
            var error: any Error = NSError(domain: text, code: .min, userInfo: [NSLocalizedDescriptionKey: text])
            for _ in 0..<20 { error = CheckoutFailed(underlyingErrors: [error, OrderError.outOfStock(item: text)]) }
            var metadata = Dictionary(texts.map { ($0, text) }) { first, _ in first }
            metadata["traceparent"] = text
            return ErrorReport(
                error: error, source: .init(fileID: text, line: .max), metadata: metadata, scope: [text, text],
                occurrences: .max, outcome: HandleOutcome(disposition: .unmatched))
        }
        let configuration = Configuration(
            tags: { report in Dictionary(texts.map { ($0, report.source.fileID) }) { first, _ in first } },
            beforeSend: { event, report in
                var event = event
                let text = report.source.fileID
                event.exceptions[1].frames = [
                    ErrorOrigin.Frame(address: .max, function: text, file: text, line: .max, image: text),
                    ErrorOrigin.Frame(function: "f()", file: "Shop/File.swift", line: 7),
                ]
                (event.exceptions[2].type, event.exceptions[2].value) = (text, text)
                return event
            })
        for name in [nil, texts[3], texts[9]] {
            try await FakeSentry.withServer { server in
                let sink = try SentrySink(
                    dsn: server.dsn, release: "shop@1.4.0+é", environment: "tests é", serverName: name,
                    configuration: configuration)
                sink.start()
                for report in reports { sink.receive(report) }
                await sink.close(within: .seconds(60))
                #expect(sink.statistics.sent == texts.count)
                #expect(
                    server.events.allSatisfy { $0.lines.count == 3 && !$0.payload.isEmpty && $0.body.count < 1 << 20 })
            }
        }
    }

    @Test func `it uses a client that it is given, and doesn't shut it down`() async throws {
        let client = HTTPClient()
        try await FakeSentry.withServer { server in
            for _ in 0..<2 {
                let sink = try SentrySink(dsn: server.dsn, client: client)
                sink.receive(report(OrderError.unpaid))
                sink.start()
                await sink.close(within: .seconds(60))
                #expect(sink.statistics.sent == 1)
            }
        }
        try await client.shutdown()
    }

    @Test func `its own failures cause one line an hour, and no report on the bus that it observes`() async throws {
        let handler = InMemoryLogHandler()
        let time = Mutex(Duration.zero)
        try await FakeSentry.withServer({ _, _ in .status(500) }) { server in
            var configuration = Configuration(retry: Self.impatient)
            configuration.logger = Logger(label: "sentry") { _ in handler }
            let sink = try SentrySink(
                dsn: server.dsn, configuration: configuration,
                transport: { SentryTransport(client: nil, timeout: .seconds(10)) }, now: { time.withLock { $0 } })
            sink.start()
            let (statistics, count) = await withErrorBus(handler: ErrorHandler(), asRoot: true) { bus in
                bus.observeUntilEnd { sink.receive($0) }
                for _ in 0..<10 { bus.post(OrderError.unpaid) }
                _ = await bus.flush(within: .seconds(60))
                await server.waitForRequests(10)
                return (bus.statistics, handler.entries.count)
            }
            #expect(statistics.posted == 10 && count <= 1)
            time.withLock { $0 = .seconds(3600) }
            sink.receive(report(OrderError.unpaid))
            await sink.close(within: .seconds(60))
            #expect(sink.statistics.failed == 11)
        }
        let messages = handler.entries.map { "\($0.message)" }
        #expect(messages.count == 2 && handler.entries.allSatisfy { $0.level == .warning })
        #expect(messages[0].hasPrefix("events that did not reach Sentry: 1 (last: status 500); "))
        // The number of events in the second line depends on when the hour is over.
        #expect(messages.last?.contains(" (last: status 500); no further line about it for an hour; ") == true)
    }
}
