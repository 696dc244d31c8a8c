import FaultServer
import Foundation
import HTTPErrors
import Testing

extension FaultLab {
    /// Tests that neither the library nor the HTTP stack sends a non-idempotent request twice.
    ///
    /// The server counts the requests, because clients can't observe that libcurl repeats a request.
    @Suite("H4: a request that must not be sent twice arrives once", .tags(.http4))
    struct OnceOnlyTests {
        /// A request that changes something, with or without a body.
        struct Order: Sendable, CustomTestStringConvertible {
            let method: HTTPMethod
            let hasBody: Bool

            var testDescription: String { "\(method) \(hasBody ? "with" : "without") a body" }

            static let all = [HTTPMethod.post, .put, .patch, .delete].flatMap { method in
                [true, false].map { Order(method: method, hasBody: $0) }
            }

            func message(_ url: URL, id: String) -> TransportRequest {
                TransportRequest(
                    method: method, url: url, headers: ["X-Test-Id": id, "Content-Type": "application/json"],
                    body: hasBody ? Data(#"{"order":7}"#.utf8) : nil)
            }
        }

        @Test(
            "An order on a fresh connection that drops arrives once",
            arguments: Order.all, TransportUnderTest.all)
        func fresh(_ order: Order, on transport: TransportUnderTest) async throws {
            let paths = ["/drop/before", "/drop/reset", "/drop/within-headers", "/drop/after-headers", "/truncated"]
            for path in paths where !transport.fatalPaths.contains(path) {
                try await withLab(transport) { server, client in
                    let observed = await Observation(sending: order.message(server.url(path), id: "order"), by: client)
                    #expect(observed.outcome == .failure(.connection), "\(path)")
                    #expect(server.count(of: "order") == 1, "\(path)")
                }
            }
        }

        @Test(
            "An order on a kept connection that drops arrives once",
            arguments: Order.all, TransportUnderTest.all)
        func kept(_ order: Order, on transport: TransportUnderTest) async throws {
            try await withLab(transport) { server, client in
                let url = server.url("/keepalive-then-drop")
                let first = await Observation(
                    sending: TransportRequest(url: url, headers: ["X-Test-Id": "get"]), by: client)
                #expect(first.outcome == .success(200))
                let observed = await Observation(sending: order.message(url, id: "order"), by: client)
                #expect(server.count(of: "order") == 1)
                // A transport may use a separate connection for a non-idempotent request. Then the server answers it.
                let isOnKept = server.countOnKeptConnections(of: "order") == 1
                #expect(observed.outcome == (isOnKept ? .failure(.connection) : .success(200)))
                Table.row("H4", transport.name, order.testDescription, isOnKept ? "kept" : "fresh")
            }
        }

        @Test("Of many orders over few connections that drop, none arrives twice", arguments: TransportUnderTest.all)
        func many(on transport: TransportUnderTest) async throws {
            try await withLab(transport) { server, client in
                let url = server.url("/keepalive-then-drop")
                await withTaskGroup(of: Void.self) { group in
                    for worker in 0..<8 {
                        group.addTask {
                            for number in 0..<20 {
                                let order = Order.all[number % Order.all.count]
                                let message = order.message(url, id: "order \(worker).\(number)")
                                _ = await Observation(sending: message, by: client)
                            }
                        }
                    }
                }
                for worker in 0..<8 {
                    for number in 0..<20 {
                        let count = server.count(of: "order \(worker).\(number)")
                        // A request might be lost with its connection, but it must not arrive twice.
                        #expect(count <= 1, "order \(worker).\(number)")
                    }
                }
            }
        }
    }
}
