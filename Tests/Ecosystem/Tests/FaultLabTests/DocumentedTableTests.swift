import ErrorRouting
import FaultServer
import Foundation
import HTTPErrors
import Testing

extension FaultLab {
    /// Compares two pages with the observed results: the page of all situations next to this file, and the
    /// documentation's page, which contains only the common situations.
    ///
    /// `ERROR_BUS_UPDATE=1` rewrites both pages.
    @Suite("The tables of situations agree with the observed results")
    struct DocumentedTableTests {
        private static let page = URL(filePath: #filePath)
            .appending(path: "../../../../../Sources/HTTPErrors/HTTPErrors.docc/Situations.md").standardized
        private static let fullPage = URL(filePath: #filePath).appending(path: "../Situations.md").standardized

        // The most common statuses of the five hundred.
        private static let statuses = [400, 401, 403, 404, 408, 409, 425, 429, 500, 502, 503, 504]

        /// The situations of the documentation.
        private static let common = [
            "status 400", "status 401", "status 403", "status 404", "status 429", "status 503", "malformed JSON",
            "HTML instead of JSON", "connection dropped before the response headers", "a self-signed certificate",
            "no response", "no server on the port", "no such host",
        ]

        /// What a situation results in.
        private struct Row {
            let situation: String
            /// The code and the name of the `URLError` in the error, or `crash`; empty if the error doesn't contain a
            /// `URLError`.
            let urlError: String
            let kind: String
            /// The error's description; empty if the result is a response.
            let description: String
            let getAgain: Bool
            let postAgain: Bool
            /// The result of async-http-client; empty if it is the same kind.
            let other: String

            /// The row on the documentation's page.
            var documented: String {
                let (get, post) = (getAgain ? "yes" : "no", postAgain ? "yes" : "no")
                return "| \(situation) | \(urlError) | \(kind) | \(description) | \(get) | \(post) |"
            }

            /// The row on the page of all situations, which doesn't show the descriptions.
            var short: String {
                let retried = [getAgain ? "GET" : nil, postAgain ? "POST" : nil].compactMap { $0 }
                return "| \(situation) | \(urlError) | \(kind) | \(retried.joined(separator: ", ")) | \(other) |"
            }
        }

        #if os(Linux)
            @Test("Each row shows what was observed", .timeLimit(.minutes(5)))
            func isObserved() async throws {
                var rows: [Row] = []
                for situation in Situation.all where Self.isDocumented(situation) {
                    guard let row = try await Self.row(for: situation) else { continue }
                    rows.append(row)
                }
                let commonRows = rows.filter { Self.common.contains($0.situation) }
                #expect(commonRows.count == Self.common.count)
                let haveSameKinds = commonRows.allSatisfy { $0.other.isEmpty }
                #expect(haveSameKinds, "the page says that the kinds are the same")
                for (file, text) in [
                    (Self.page, Self.text(with: commonRows)), (Self.fullPage, Self.fullText(with: rows)),
                ] {
                    if ProcessInfo.processInfo.environment["ERROR_BUS_UPDATE"] != nil {
                        try text.write(to: file, atomically: true, encoding: .utf8)
                    }
                    let documented = try String(contentsOf: file, encoding: .utf8)
                    #expect(Self.lines(of: documented) == Self.lines(of: text), "ERROR_BUS_UPDATE=1 writes it")
                }
            }
        #endif

        /// Returns all lines except the line with the operating system.
        private static func lines(of page: String) -> [Substring] {
            page.split(separator: "\n").filter { !$0.contains("observed on") }
        }

        private static func isDocumented(_ situation: Situation) -> Bool {
            // Leave out situations that differ only in the method HEAD.
            guard situation.isStatus else { return !situation.name.contains("a HEAD") }
            return statuses.contains { situation.name == "status \($0)" }
        }

        /// Returns a row; nil if the situation isn't an error on any transport.
        private static func row(for situation: Situation) async throws -> Row? {
            let isFatal = TransportUnderTest.urlSession.fatalPaths.contains(situation.path)
            let other = try await end(of: situation, on: .asyncHTTPClient)
            let end = isFatal ? other : try await end(of: situation, on: .urlSession)
            guard end.error != nil || other.error != nil || isFatal else { return nil }
            let kinds = [end, other].map { end in end.error.map { "`\($0.kind.rawValue)`" } ?? "a response" }
            let description = end.error.map { error in
                NetworkError.$language.withValue(.english) { error.localizedDescription }
            }
            return Row(
                situation: situation.name, urlError: isFatal ? "crash" : end.error.map(code) ?? "", kind: kinds[0],
                description: description ?? "", getAgain: end.getAgain, postAgain: end.postAgain,
                other: kinds[0] == kinds[1] ? "" : kinds[1])
        }

        private static func end(
            of situation: Situation,
            on transport: TransportUnderTest
        ) async throws -> (error: NetworkError?, getAgain: Bool, postAgain: Bool) {
            let get = try await retryObservation(of: situation, as: .get, on: transport)
            let post = try await retryObservation(of: situation, as: .post, on: transport)
            #expect(
                post.error?.kind == get.error?.kind,
                "\(situation.name), \(transport.name): a POST ends in \(String(describing: post.error))")
            return (get.error, get.isRetried, post.isRetried)
        }

        /// Each situation has its own server: a connection that a situation left behind must not affect the next
        /// situation.
        private static func retryObservation(
            of situation: Situation,
            as method: HTTPMethod,
            on transport: TransportUnderTest
        ) async throws -> RetryObservation {
            var result: RetryObservation?
            try await withLab(transport) { server, client in
                result = await RetryObservation(of: situation, as: method, on: server, by: client)
            }
            return try #require(result)
        }

        /// Returns the code and the name of the `URLError` in an error.
        private static func code(in error: NetworkError) -> String {
            guard let cause = ErrorMatcher.anywhere(.type(URLError.self)).match(error) else { return "" }
            return "\(cause.errorCode) \(names[cause.errorCode] ?? "")"
        }

        private static let names = [
            NSURLErrorBadURL: "badURL",
            NSURLErrorTimedOut: "timedOut",
            NSURLErrorUnsupportedURL: "unsupportedURL",
            NSURLErrorCannotFindHost: "cannotFindHost",
            NSURLErrorCannotConnectToHost: "cannotConnectToHost",
            NSURLErrorNetworkConnectionLost: "networkConnectionLost",
            NSURLErrorHTTPTooManyRedirects: "httpTooManyRedirects",
            NSURLErrorCannotDecodeContentData: "cannotDecodeContentData",
            NSURLErrorCannotParseResponse: "cannotParseResponse",
            URLError.Code.serverCertificateUntrusted.rawValue: "serverCertificateUntrusted",
        ]

        /// Returns the page of all situations.
        private static func fullText(with rows: [Row]) -> String {
            """
            # All situations of the fault lab

            [The lab](../../../../Sources/HTTPErrors/HTTPErrors.docc/Situations.md) sends a GET and a POST with
            `URLSessionHTTPTransport` on Linux. The columns show:

            - **`URLError`.** The `URLError` in the result, if any. If `URLSession` crashes, the other columns show
              async-http-client's result.
            - **`NetworkError.Kind`.** The error's kind. "A response" means that the request succeeded.
            - **Retried.** The requests, if any, that `RetryPolicy.default` retries. If the lab sends `Retry-After`,
              it is two minutes, which exceeds the policy's limit of 60 seconds.
            - **async-http-client.** Its result, if different.

            In the situations, "length" means `Content-Length`, "chunks" means chunked transfer coding, and "retry
            after" means `Retry-After`.

            | Situation | `URLError` | `NetworkError.Kind` | Retried | async-http-client |
            | --- | --- | --- | --- | --- |
            \(rows.map(\.short).joined(separator: "\n"))

            The [English messages](../../../../Sources/HTTPErrors/Errors/NetworkError+Texts.swift) show each kind's
            description.

            """
        }

        private static func text(with rows: [Row]) -> String {
            """
            # Situations and their errors

            See which error a failed request throws.

            ## Overview

            The table shows common situations, observed on \(ProcessInfo.processInfo.operatingSystemVersionString) with
            ``URLSessionHTTPTransport``. With async-http-client, the errors have the same kinds. The fault lab,
            `Tests/Ecosystem`, checks these and [a hundred other
            situations](../../../Tests/Ecosystem/Tests/FaultLabTests/Situations.md). It hasn't run on Apple platforms,
            where the `URLError` might differ.

            - **`URLError`.** An empty cell means that a response arrived.
            - **``NetworkError/Kind``.** Other kinds include `networkUnavailable`, if the device is offline, and
              `cancelled`, if the task was cancelled.
            - **Description.** The error's `localizedDescription`.
            - **Retried.** Whether `RetryPolicy.default` retries an idempotent request (GET) and a non-idempotent
              request (POST without an idempotency key).

            | Situation | `URLError` | ``NetworkError/Kind`` | Description | GET retried | POST retried |
            | --- | --- | --- | --- | --- | --- |
            \(rows.map(\.documented).joined(separator: "\n"))

            """
        }
    }
}
