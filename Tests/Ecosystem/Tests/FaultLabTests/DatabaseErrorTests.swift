import ErrorRouting
import Foundation
import GRDB
import Testing

@Suite("With the rule on the page, a database error's message is the database's, and its code is shown")
struct DatabaseErrorTests {
    // The lines from the page, unchanged.
    private static let details: ErrorMap<ErrorDetails?> = ErrorMap()
        .on(DatabaseError.self) { ErrorDetails(message: $0.message) }

    @Test("a unique violation is reported with its code, and its message contains neither the statement nor values")
    func uniqueViolation() async throws {
        var configuration = ErrorBus.Configuration()
        configuration.details = Self.details
        let (reports, continuation) = AsyncStream<ErrorReport>.makeStream()
        let handler = ErrorHandler().always { _, report in continuation.yield(report) }
        try await withErrorBus(handler: handler, configuration: configuration) { bus in
            let queue = try DatabaseQueue()
            try await queue.write { try $0.execute(sql: "CREATE TABLE orders (number INTEGER UNIQUE)") }
            for _ in 0..<2 {
                await bus.catching {
                    try await queue.write { try $0.execute(sql: "INSERT INTO orders VALUES (4711)") }
                }
            }
        }
        continuation.finish()
        var all: [ErrorReport] = []
        for await report in reports { all.append(report) }
        let report = try #require(all.first)
        #expect(all.count == 1)
        #expect(report.message == "UNIQUE constraint failed: orders.number")
        #expect(report.fields["exception.message"] == "UNIQUE constraint failed: orders.number")
        #expect(report.description.contains("2067") && !report.description.contains("INSERT"), "\(report)")
    }

    @Test("the rule above is the rule on the page")
    func page() throws {
        let here = URL(fileURLWithPath: #filePath)
        let root = (0..<5).reduce(here) { url, _ in url.deletingLastPathComponent() }
        let path = "Sources/ErrorRouting/ErrorRouting.docc/OtherLibraries.md"
        let page = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        let source = try String(contentsOf: here, encoding: .utf8)
        let rule = try #require(page.split(separator: "\n").first { $0.contains(".on(DatabaseError.self)") })
        #expect(source.contains(rule.trimmingCharacters(in: .whitespaces)))
    }
}
