import ErrorRouting
import FaultServer
import Foundation
import HTTPErrors
import Testing

extension FaultLab {
    /// Compares the documentation's table of situations with what is observed here.
    ///
    /// `ERROR_BUS_UPDATE=1` rewrites the page.
    @Suite("The documentation's table says what is observed")
    struct DocumentedTableTests {
        private static let page = URL(filePath: #filePath)
            .appending(path: "../../../../../Sources/HTTPErrors/HTTPErrors.docc/Situations.md").standardized

        // The statuses that servers send most, of five hundred.
        private static let statuses = [400, 401, 403, 404, 408, 409, 425, 429, 500, 502, 503, 504]

        #if os(Linux)
            @Test("It is what was observed", .timeLimit(.minutes(5)))
            func isObserved() async throws {
                var rows: [String] = []
                for situation in Situation.all where Self.isDocumented(situation) {
                    if let row = try await Self.row(for: situation) { rows.append(row) }
                }
                if ProcessInfo.processInfo.environment["ERROR_BUS_UPDATE"] != nil {
                    try Self.text(with: rows).write(to: Self.page, atomically: true, encoding: .utf8)
                }
                let documented = try String(contentsOf: Self.page, encoding: .utf8)
                #expect(
                    Self.lines(of: documented) == Self.lines(of: Self.text(with: rows)), "ERROR_BUS_UPDATE=1 writes it")
            }
        #endif

        /// All but the line that says where it was observed.
        private static func lines(of page: String) -> [Substring] {
            page.split(separator: "\n").filter { !$0.hasPrefix("Observed on") }
        }

        private static func isDocumented(_ situation: Situation) -> Bool {
            // A situation that is the same for any method is listed once.
            guard situation.isStatus else { return !situation.name.contains("a HEAD") }
            return statuses.contains { situation.name == "status \($0)" }
        }

        /// A row, or nil where the situation is an error on no transport.
        private static func row(for situation: Situation) async throws -> String? {
            let isFatal = TransportUnderTest.urlSession.fatalPaths.contains(situation.path)
            let other = try await end(of: situation, on: .asyncHTTPClient)
            let end = isFatal ? other : try await end(of: situation, on: .urlSession)
            guard end.error != nil || other.error != nil || isFatal else { return nil }
            let kinds = [end, other].map { end in end.error.map { "`\($0.kind.rawValue)`" } ?? "a response" }
            let cells = [
                situation.name,
                isFatal ? "stops the process" : end.error.map(code) ?? "",
                kinds[0],
                end.error.map { error in NetworkError.$language.withValue(.english) { error.localizedDescription } }
                    ?? "",
                end.getAgain ? "yes" : "no",
                end.postAgain ? "yes" : "no",
                kinds[0] == kinds[1] ? "" : kinds[1],
            ]
            return "| \(cells.joined(separator: " | ")) |"
        }

        private static func end(
            of situation: Situation,
            on transport: TransportUnderTest
        ) async throws -> (error: NetworkError?, getAgain: Bool, postAgain: Bool) {
            let get = try await retrial(of: situation, as: "GET", on: transport)
            let post = try await retrial(of: situation, as: "POST", on: transport)
            #expect(
                post.error?.kind == get.error?.kind,
                "\(situation.name), \(transport.name): a POST ends in \(String(describing: post.error))")
            return (get.error, get.isRetried, post.isRetried)
        }

        /// Each has a server of its own: a connection that one has left behind must not change the next.
        private static func retrial(
            of situation: Situation,
            as method: String,
            on transport: TransportUnderTest
        ) async throws -> Retrial {
            var result: Retrial?
            try await withLab(transport) { server, client in
                result = await Retrial(of: situation, as: method, on: server, by: client)
            }
            return try #require(result)
        }

        /// The code of the `URLError` in an error, with its name.
        private static func code(in error: NetworkError) -> String {
            guard let cause = ErrorMatcher.anywhere(.type(URLError.self)).match(error) else { return "" }
            return "\(cause.errorCode) \(names[cause.errorCode] ?? "")"
        }

        private static let names = [
            NSURLErrorTimedOut: "timedOut",
            NSURLErrorUnsupportedURL: "unsupportedURL",
            NSURLErrorCannotFindHost: "cannotFindHost",
            NSURLErrorCannotConnectToHost: "cannotConnectToHost",
            NSURLErrorNetworkConnectionLost: "networkConnectionLost",
            NSURLErrorHTTPTooManyRedirects: "httpTooManyRedirects",
            NSURLErrorCannotDecodeContentData: "cannotDecodeContentData",
            NSURLErrorCannotParseResponse: "cannotParseResponse",
        ]

        private static func text(with rows: [String]) -> String {
            """
            # What each situation ends in

            Look up what a server or the network does to a request, and the error that results.

            ## Overview

            Observed on \(ProcessInfo.processInfo.operatingSystemVersionString) with ``URLSessionTransport``.

            A test of the package's fault lab, `Tests/Ecosystem`, sends every request of this table, and fails if
            something else happens than the table says. Linux reports some faults by one `URLError` code for which
            other platforms have several; apart from that, the codes are those of all platforms. An empty cell means
            that there was no `URLError`: a response came, or no request was sent. The statuses are the most common
            ones. Where a situation stops the process, the cells after that are those of async-http-client. The last
            column says what async-http-client makes of a situation where it differs.

            Two columns say whether `RetryPolicy.default` retries an idempotent request, such as GET, and one that is
            not idempotent, such as POST without an `Idempotency-Key`. It does not retry where the response asks for a
            wait of two minutes, because that exceeds the longest hint that the policy accepts.

            | Situation | `URLError` | ``NetworkError/Kind`` | Description | GET again | POST again | async-http-client |
            | --- | --- | --- | --- | --- | --- | --- |
            \(rows.joined(separator: "\n"))

            """
        }
    }
}
