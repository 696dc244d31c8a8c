import Dispatch
import ErrorRecovery
import ErrorRouting
import Foundation
import GRDB
import Logging
import ServiceLifecycle
import Testing

@testable import LibrarySamples

@Suite("Errors of other libraries are handled as the page shows", .timeLimit(.minutes(2)))
struct LibraryTests {
    /// Returns the error that SQLite throws for a number that exists already.
    private func duplicate() throws -> any Error {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE orders (number INTEGER UNIQUE)") }
        return try #require(throws: DatabaseError.self) {
            for _ in 0..<2 { try queue.write { try $0.execute(sql: "INSERT INTO orders VALUES (4711)") } }
        }
    }

    /// Returns the error that SQLite throws while another connection is writing.
    private func busy() throws -> any Error {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite")
        defer { try? FileManager.default.removeItem(at: file) }
        let (first, second) = (try DatabaseQueue(path: file.path), try DatabaseQueue(path: file.path))
        var error: DatabaseError?
        try first.inDatabase { database in
            try database.inTransaction(.exclusive) {
                error = #expect(throws: DatabaseError.self) {
                    try second.write { try $0.execute(sql: "CREATE TABLE orders (number INTEGER)") }
                }
                return .rollback
            }
        }
        return try #require(error)
    }

    @Test func `only an error of a busy database is tried again, and only a duplicate is a conflict`() throws {
        let (duplicate, busy) = (try duplicate(), try busy())
        #expect(databaseRetries.decisions[busy] == .retry() && databaseRetries.decisions[duplicate] == .fail)
        #expect(statuses[duplicate] == 409 && statuses[busy] == 500)
        #expect(databaseDetails[duplicate]?.message == "UNIQUE constraint failed: orders.number")
    }

    @Test func `a database observation that fails posts its error`() async throws {
        let (reports, continuation) = AsyncStream<ErrorReport>.makeStream()
        let handler = ErrorHandler().on(DatabaseError.self) { _, report in
            continuation.yield(report)
            return .stop
        }
        try await withErrorBus(handler: handler, asRoot: true) { _ in
            let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT * FROM missing") }
            let observer = observation.start(
                in: try DatabaseQueue(), scheduling: .async(onQueue: .global()), onError: { postError($0) },
                onChange: { _ in })
            var iterator = reports.makeAsyncIterator()
            let report = await iterator.next()
            #expect(report?.message.contains("no such table: missing") == true)
            withExtendedLifetime(observer) {}
        }
    }

    @Test func `each of a service group's own errors has its kind`() {
        for (error, kind) in [
            (ServiceGroupError.alreadyRunning(file: "other", line: 1), "alreadyRunning"),
            (.alreadyFinished(file: "other", line: 1), "alreadyFinished"),
            (.serviceFinishedUnexpectedly(service: "Mails"), "serviceFinishedUnexpectedly"),
        ] {
            #expect(groupDetails[error]?.kind == kind)
        }
    }

    @Test func `a service group that runs a second time posts the error that it has finished`() async {
        let (reports, continuation) = AsyncStream<ErrorReport>.makeStream()
        let handler = ErrorHandler().always { _, report in continuation.yield(report) }
        await withErrorBus(handler: handler, configuration: .init(details: groupDetails)) { bus in
            let group = ServiceGroup(services: [], logger: Logger(label: "group"))
            let first = await LibrarySamples.run(group, errors: bus)
            let second = await LibrarySamples.run(group, errors: bus)
            #expect(first && !second)
        }
        continuation.finish()
        var kinds: [String?] = []
        for await report in reports { kinds.append(report.kindName) }
        #expect(kinds == ["alreadyFinished"])
    }
}
