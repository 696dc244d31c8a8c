import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "Promise 29: an error, or the bus's map for it, provides its kind, message, and place", .tags(.promise29),
    .hangLimit)
struct ErrorDetailsTests {}

/// An error like those of database packages: a struct whose description doesn't contain details.
private struct DatabaseError: Error, Equatable, CustomStringConvertible {
    var state: String
    var description: String { "a database error" }
}

private struct StorageError: ErrorDetailsProviding, UnderlyingErrorsProviding {
    var errorDetails: ErrorDetails
    var underlyingErrors: [any Error] = []
}

private enum Order: ErrorDetailsProviding {
    case late
    var errorDetails: ErrorDetails { ErrorDetails() }
}

extension ErrorDetailsTests {
    private static let place = ErrorReport.Source(fileID: "Storage/Disk.swift", line: 7)
    private static let own = ErrorDetails(kind: "diskFull", message: "no room on /data", source: place)
    private static let map = ErrorMap<ErrorDetails?>()
        .on(DatabaseError.self) { ErrorDetails(kind: $0.state, message: "state \($0.state)") }

    /// Returns an error's report as a bus with a map delivers it.
    private func delivered(_ error: any Error, by map: ErrorMap<ErrorDetails?> = map) async -> ErrorReport? {
        let journal = Journal<ErrorReport>()
        let handler = ErrorHandler().always { _, report in
            journal.note(report)
            return .next
        }
        await withErrorBus(handler: handler, configuration: .init(details: map)) { bus in
            bus.post(error, fileID: "Shop/Cart.swift", line: 3)
        }
        return journal.entries.first
    }

    @Test("kind, message, and place come from the map or the error, in properties, fields, and the line")
    func texts() async throws {
        let ofMap = try #require(await delivered(DatabaseError(state: "23505")))
        let ofError = ErrorReport(
            error: StorageError(errorDetails: Self.own), source: .init(fileID: "Shop/Cart.swift", line: 3))
        let type = "ErrorRoutingTests"
        for (report, name, kind, message) in [
            (ofMap, "DatabaseError", "23505", "state 23505"), (ofError, "StorageError", "diskFull", "no room on /data"),
        ] {
            let fingerprint = "\(type).\(name).\(kind) Shop/Cart.swift"
            expect([report.kindName, report.message, report.fingerprint], equals: [kind, message, fingerprint])
            let texts = report.texts
            expect([texts.kindName, texts.message, texts.fingerprint], equals: [kind, message, fingerprint])
            let fields = report.fields
            expect(
                [fields["error.kind"], fields["exception.message"], fields["error.fingerprint"]],
                equals: [kind, message, fingerprint])
            let line = ErrorLineFields(report.description)
            expect([line?["kind"], line?["message"]], equals: [kind, message])
        }
        expect(ofError.origin, equals: ErrorOrigin(frames: [.init(file: "Storage/Disk.swift", line: 7)]))
        expect(ErrorLineFields(ofError.description)?["thrown"], equals: "Storage/Disk.swift:7")
        expect(
            ["code.file.path", "code.line.number"].map { ofError.fields[$0] }, equals: ["Storage/Disk.swift", "7"])
        expectNil(ofMap.origin)
        #expect("\(ErrorHandler().explain(ofError.error))".contains("no room on /data"))
    }

    @Test("an origin is the place that the details provide, or nil if they provide none", .tags(.promise30))
    func origins() {
        func origin(_ details: ErrorDetails) -> ErrorOrigin? {
            ErrorReport(error: StorageError(errorDetails: details), source: .init()).origin
        }
        let source = ErrorReport.Source(fileID: "Storage/Disk.swift", line: 7)
        expect(origin(ErrorDetails(source: source))?.description, equals: "Storage/Disk.swift:7")
        let route = origin(ErrorDetails(source: .init(fileID: "Shop/GET /cart", line: 0)))
        expect(route?.description, equals: "Shop/GET /cart")
        expectNil(route?.frames.first?.line)
        expectNil(origin(ErrorDetails(kind: "a", message: "b")))
        expectNil(ErrorReport(error: DatabaseError(state: "1"), source: source).origin)
        expect(
            [ErrorOrigin.Frame(function: "f()"), .init(address: 26), .init(file: "a"), .init()].map(\.description),
            equals: ["f()", "0x1a", "a", "unknown"])
    }

    @Test("explain, and a report that isn't posted, use the strings of the bus's map, in the bus and in its scopes")
    func unposted() {
        let map = ErrorMap<ErrorDetails?>().on(DatabaseError.self) {
            ErrorDetails(kind: $0.state, message: "a message")
        }
        let bus = ErrorBus(handler: ErrorHandler(), configuration: .init(details: map))
        let error = DatabaseError(state: "23505")
        #expect("\(bus.explain(error))".contains("DatabaseError: a message"))
        #expect("\(bus.scope("a").explain(error))".contains("DatabaseError: a message"))
        #expect(!"\(ErrorHandler().explain(error))".contains("a message"))
        let report = bus.report(of: error, fileID: "A/B.swift", line: 3)
        expect([report.kindName, report.message], equals: ["23505", "a message"])
        expect(report.source, equals: .init(fileID: "A/B.swift", line: 3))
        expect(report.outcome.disposition, equals: .pending)
        expect(bus.statistics.posted, equals: 0)
    }

    @Test("each field comes from the map or, if the map lacks it, from the error; a field that both lack is as before")
    func precedence() async throws {
        let error = StorageError(errorDetails: Self.own)
        let part = try #require(
            await delivered(error, by: Self.map.on(StorageError.self) { _ in ErrorDetails(kind: "full") }))
        expect([part.kindName, part.message], equals: ["full", "no room on /data"])
        expect(part.origin?.description, equals: "Storage/Disk.swift:7")
        let none = try #require(await delivered(error, by: Self.map.on(StorageError.self, nil)))
        expect([none.kindName, none.message], equals: ["diskFull", "no room on /data"])
        let order = try #require(await delivered(Order.late))
        expect([order.kindName, order.message], equals: ["late", "late"])
        expect(order.fields["error.kind"], equals: "late")
        let plain = ErrorReport(error: DatabaseError(state: "1"), source: .init())
        expect([plain.kindName, plain.message], equals: [nil, "a database error"])
    }

    @Test("underlying errors have their own messages; their fingerprints have no kinds, because a replay has no map")
    func trail() async throws {
        let outer = StorageError(errorDetails: Self.own, underlyingErrors: [DatabaseError(state: "23505")])
        let report = try #require(await delivered(outer))
        expect(report.trail.map(\.message), equals: ["state 23505"])
        expect(report.trail.map(\.fingerprint), equals: ["ErrorRoutingTests.DatabaseError"])
        #expect(report.description.contains(#"DatabaseError: state 23505""#))
        expectNil(report.texts.trail.first { $0.fingerprint.contains("23505") })
        // The same holds for the notice of a failed action.
        let journal = Journal<ErrorReport>()
        let handler = ErrorHandler().on(Numbered.self) { _ in throw DatabaseError(state: "40001") }
            .always { _, report in
                journal.note(report)
                return .next
            }
        await withErrorBus(handler: handler, configuration: .init(details: Self.map)) { $0.post(Numbered(1)) }
        expect(journal.entries.last?.trail.map(\.message), equals: ["state 40001"])
    }

    @Test("strings from details are one line, escaped, and bounded, like all other strings")
    func hostile() {
        let long = String(repeating: "é", count: 20_000)
        let error = StorageError(errorDetails: ErrorDetails(kind: "a\nb=\"c\"", message: "\u{202E}\n" + long))
        let report = ErrorReport(error: error, source: .init())
        for text in [report.kindName ?? "", report.message, report.fingerprint, report.description] {
            #expect(!text.contains("\n") && !text.contains("\u{202E}"), "\(text.prefix(80))")
        }
        #expect(report.message.utf8.count <= 16 * 1024)
    }

    @Test("a flood limit merges only errors of the same kind", arguments: [true, false])
    func floods(byMap: Bool) async {
        let configuration = ErrorBus.Configuration(
            floodLimit: FloodLimit(first: 1, per: .seconds(60)), clock: ManualClock(), details: Self.map)
        let kinds = ["23505", "40001", "23505", "08006", "40001"]
        let recorded = await withRecordedErrors(configuration: configuration) { bus in
            for kind in kinds {
                let own = StorageError(errorDetails: ErrorDetails(kind: kind))
                bus.post(byMap ? DatabaseError(state: kind) : own, fileID: "Shop/Cart.swift", line: 1)
            }
        }
        expect(recorded.reports.map(\.kindName), equals: ["23505", "40001", "08006", "23505", "40001"])
    }

    @Test("without a flood limit, details are read only when a string is read; details that read themselves end")
    func reads() async throws {
        let count = Locked(0)
        let counting = ErrorMap<ErrorDetails?>().on(DatabaseError.self) { error in
            count.withLock { $0 += 1 }
            return ErrorDetails(
                message: ErrorReport(error: StorageError(errorDetails: Self.own), source: .init()).message)
        }
        let report = try #require(await delivered(DatabaseError(state: "1"), by: counting))
        expect(count.withLock { $0 }, equals: 0)
        expect(report.message, equals: "no room on /data")
        expect(count.withLock { $0 }, equals: 1)
        _ = report.texts
        expect(count.withLock { $0 }, equals: 2)

        struct Recursive: ErrorDetailsProviding {
            var errorDetails: ErrorDetails {
                ErrorDetails(message: "[\(ErrorReport(error: self, source: .init()).message)]")
            }
        }
        #expect(ErrorReport(error: Recursive(), source: .init()).message.hasPrefix("[[["))
    }
}
