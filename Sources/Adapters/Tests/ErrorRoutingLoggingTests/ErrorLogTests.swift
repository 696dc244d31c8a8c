import ErrorRouting
import ErrorRoutingLogging
import InMemoryLogging
import Logging
import Synchronization
import Testing

@Suite("An error has one log entry, with the report's data and level")
struct ErrorLogTests {
    private enum Sale: Error, CustomStringConvertible {
        case tooLate
        case sold

        var description: String { "nothing to sell: \(self == .sold ? "sold" : "too late")" }
    }

    private let store = InMemoryLogHandler()

    private var logger: Logger {
        var logger = Logger(label: "sales") { _ in store }
        logger.logLevel = .trace
        return logger
    }

    @Test func `it has the report's message, metadata, and source, and has the message only once`() async throws {
        let handler = ErrorHandler().on(Sale.self) { _ in .stop }.overlaid(with: .logging(to: logger))
        await handler.handle(
            ErrorReport(error: Sale.sold, source: .init(fileID: "Shop/Till.swift", line: 7), metadata: ["till": "3"]))
        let entry = try #require(store.entries.first)
        #expect(store.entries.count == 1 && entry.level == .notice)
        #expect(entry.message == "nothing to sell: sold")
        #expect(entry.metadata["till"] == "3")
        #expect(entry.metadata["exception.type"]?.description.hasSuffix("Sale") == true)
        #expect(entry.metadata["exception.message"] == nil && entry.metadata["error.source"] == "Shop/Till.swift:7")
        #expect(entry.metadata["error.disposition"] == "handled")
    }

    @Test func `it has the error itself only on demand, in both layouts`() {
        let report = ErrorReport(error: Sale.sold, source: .init(fileID: "Shop/Till.swift", line: 7))
        ErrorLog(logger).write(report)
        ErrorLog(logger, passesErrors: true).write(report)
        ErrorLog(logger, layout: .text, passesErrors: true).write(report)
        #expect(store.entries.map { $0.error as? Sale } == [nil, .sold, .sold])
        #expect(store.entries[0].metadata == store.entries[1].metadata)
    }

    @Test func `it has at most 120 characters before the metadata, which then contains the whole message`() throws {
        for length in [120, 121, 20_000] {
            store.clear()
            let text = String(repeating: "ü", count: length)
            logger.log(ErrorReport(error: Text(description: text), source: .init()))
            let entry = try #require(store.entries.first)
            let message = "\(entry.message)"
            #expect(message.count == 120 && message.hasSuffix("…") == (length > 120), "\(length)")
            let whole = entry.metadata["exception.message"]?.description
            #expect(length == 120 ? whole == nil : whole?.hasPrefix(text.prefix(121)) == true)
        }
    }

    @Test func `it has the route as its file, and the route's module as its source`() {
        let places = Mutex<[String]>([])
        let logger = Logger(label: "sales") { _ in
            Placing { event in places.withLock { $0 = [event.source, event.file] } }
        }
        logger.log(ErrorReport(error: Sale.sold, source: .init(fileID: "Shop/POST /sales/{id}", line: 0)))
        #expect(places.withLock { $0 } == ["Shop", "Shop/POST /sales/{id}"])
        self.logger.log(ErrorReport(error: Sale.sold, source: .init(fileID: "Shop/POST /sales/{id}", line: 0)))
        #expect(store.entries.first?.metadata["error.source"] == "Shop/POST /sales/{id}")
    }

    @Test func `it begins with the message for handlers that print metadata first, and for others on demand`() throws {
        let stream = Lines()
        let report = ErrorReport(
            error: Text(description: #"no "7""#), source: .init(fileID: "Shop/POST /sales/{id}", line: 0),
            metadata: ["url.path": "/sales/7", "a b": #"c=\"#], scope: ["POST /sales/{id}"])
        Logger(label: "shop") { StreamLogHandler(label: $0, stream: stream) }.log(report)
        let line = try #require(stream.all.first)
        let start = try #require(line.firstRange(of: " exception.type="))
        #expect(line[..<start.lowerBound].hasSuffix(#"error shop: [Shop] no "7""#) && stream.all.count == 1)
        #expect(line.contains(#" error.source="Shop/POST /sales/{id}" error.disposition=pending "#))
        #expect(line.contains(#" error.scope="POST /sales/{id}" "a b"="c=\\" url.path=/sales/7 error.role=failure "#))

        ErrorLog(Logger(label: "shop") { StreamLogHandler(label: $0, stream: stream) }, layout: .metadata).write(report)
        #expect(stream.all.last?.hasSuffix("\(#"[Shop] no "7""#)\n") == true)
        ErrorLog(logger, layout: .text).write(report)
        #expect(store.entries.last.map { "\($0.message)".hasPrefix(#"no "7" exception.type="#) } == true)
        #expect(store.entries.last?.metadata.isEmpty == true)
    }

    private struct Text: Error, CustomStringConvertible { let description: String }

    /// A handler that passes events to a closure.
    private struct Placing: LogHandler {
        let note: @Sendable (LogEvent) -> Void
        var logLevel = Logger.Level.trace
        var metadata = Logger.Metadata()

        init(_ note: @escaping @Sendable (LogEvent) -> Void) { self.note = note }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { note(event) }
    }

    /// The lines that a stream handler writes.
    private final class Lines: TextOutputStream, Sendable {
        private let state = Mutex<[String]>([])

        var all: [String] { state.withLock { $0 } }

        func write(_ line: String) { state.withLock { $0.append(line) } }
    }

    @Test func `it has each cause once, even if the error's own description contains it`() async throws {
        struct Closed: Error, UnderlyingErrorsProviding { let underlyingErrors: [any Error] }

        await ErrorHandler.logging(to: logger).handle(Closed(underlyingErrors: [Sale.tooLate]))
        let entry = try #require(store.entries.first)
        #expect("\(entry.message) \(entry.metadata)".ranges(of: "too late").count == 1)
        #expect(entry.metadata["error.trail"]?.description.hasSuffix("Sale") == true)
    }

    @Test func `it has the level of its role and outcome, unless the map returns a level`() {
        let levels = ErrorMap<Logger.Level?>().on(Sale.self, nil).on(Sale.tooLate, .info)
        let log = ErrorLog(logger, levels: levels)
        func level(
            _ error: any Error,
            _ role: ErrorReport.Role = .failure,
            _ disposition: HandleOutcome.Disposition = .handled
        ) -> Logger.Level {
            let outcome = HandleOutcome(disposition: disposition)
            return log.level(of: ErrorReport(error: error, role: role, source: .init(), outcome: outcome))
        }
        #expect(level(Sale.sold) == .notice)
        #expect(level(Sale.sold, .failure, .unmatched) == .error)
        #expect(level(Sale.tooLate) == .info)
        #expect(level(Sale.sold, .failure, .ignored) == .debug)
        #expect(level(Sale.tooLate, .failure, .ignored) == .info)
        #expect(level(Sale.sold, .attempt) == .info)
        #expect(level(Sale.sold, .notice) == .notice)
        #expect(level(Sale.sold, .init("audit")) == .info)
    }

    @Test func `the entry for a single report has the level of the report's severity`() {
        for (disposition, level) in [(HandleOutcome.Disposition.handled, Logger.Level.notice), (.unmatched, .error)] {
            let outcome = HandleOutcome(disposition: disposition)
            logger.log(ErrorReport(error: Sale.sold, source: .init(), outcome: outcome))
            #expect(store.entries.last?.level == level)
        }
        #expect(store.entries.count == 2)
    }

    /// Counts how often its description and its underlying errors are read.
    private struct Counting: Error, CustomStringConvertible, UnderlyingErrorsProviding {
        let count: Count
        var cause: [any Error] = []

        var description: String {
            count.add("description")
            return "counting"
        }

        var underlyingErrors: [any Error] {
            count.add("underlyingErrors")
            return cause
        }
    }

    private final class Count: Sendable {
        private let state = Mutex<[String: Int]>([:])

        var counts: [String: Int] { state.withLock { $0 } }

        func add(_ name: String) { state.withLock { $0[name, default: 0] += 1 } }
    }

    @Test func `each string of an error and its causes is read once, and the causes again for their metadata`() async {
        let (outer, inner) = (Count(), Count())
        await ErrorHandler.logging(to: logger).handle(Counting(count: outer, cause: [Counting(count: inner)]))
        #expect(store.entries.count == 1)
        #expect(outer.counts == ["description": 1, "underlyingErrors": 2])
        #expect(inner.counts == ["description": 1, "underlyingErrors": 2])
    }

    /// A handler that can't write, and posts an error about that.
    private struct FullDisk: LogHandler {
        struct Failed: Error {}

        let store: InMemoryLogHandler
        var logLevel = Logger.Level.trace
        var metadata = Logger.Metadata()

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            store.log(event: event)
            postError(Failed())
        }
    }

    @Test func `an error that the log handler itself posts isn't logged; the last resort writes its line`() async {
        let logger = Logger(label: "sales") { _ in FullDisk(store: store) }
        let lines = Mutex<[String]>([])
        let lastResort = LastResort { line in lines.withLock { $0.append(line) } }
        let configuration = ErrorBus.Configuration(lastResort: lastResort)
        let ended = await withErrorBus(handler: .logging(to: logger), configuration: configuration) { bus in
            bus.post(Sale.sold)
            return bus
        }
        #expect(ended.statistics.unmatched == 2)
        #expect(store.entries.map { "\($0.message)" } == ["nothing to sell: sold"])
        #expect(lines.withLock { $0.map { $0.contains("FullDisk.Failed") } } == [true])
    }

    @Test func `it is written while the report's trace is bound`() {
        let log = ErrorLog(logger) { report, write in
            #expect(report.error is Sale && store.entries.isEmpty)
            write()
            #expect(store.entries.count == 1)
        }
        log.write(ErrorReport(error: Sale.sold, source: .init()))
        #expect(store.entries.count == 1)
    }
}
