import FaultServer
import Foundation
import Hummingbird
import HummingbirdTesting
import Testing

@testable import Todos
@testable import TodosBefore

extension FaultLab {
    /// Compares a program without a bus with the same program after a bus was added.
    @Suite("A program changes little when it adopts a bus, and then loses no error")
    struct TodosTests {
        private static let sources = URL(filePath: #filePath).appending(path: "../../../Sources").standardized

        private static func lines(_ path: String) throws -> [String] {
            try String(contentsOf: sources.appending(path: path), encoding: .utf8).components(separatedBy: "\n")
        }

        @Test func `it changes by at most six lines in main, and by four where the application is built`() throws {
            for (file, limit) in [("Todos.swift", 6), ("Application.swift", 4)] {
                let change = try Self.lines("Todos/\(file)").difference(from: Self.lines("TodosBefore/\(file)"))
                #expect(change.insertions.count <= limit && change.removals.count <= 1, "\(file)")
            }
        }

        /// The tests of the application, which don't change.
        private func checkRoutes(_ app: some ApplicationProtocol) async throws {
            try await app.test(.router) { client in
                for method in [HTTPRequest.Method.get, .delete] {
                    let response = try await client.execute(uri: "/todos/7", method: method)
                    #expect(response.status == .internalServerError)
                }
                let response = try await client.execute(uri: "/todos", method: .post)
                #expect(response.status == .created)
            }
        }

        @Test func `it passes the same tests, and the tests don't end the process`() async throws {
            try await FaultServer.withServer { server in
                let settings = ["WEBHOOK_URL": server.url("/status/201").absoluteString]
                try await checkRoutes(TodosBefore.buildApplication(settings))
                try await checkRoutes(Todos.buildApplication(settings))
            }
        }

        /// Runs a program in which two requests and three tasks fail, and returns what it has written.
        ///
        /// The tasks fail after the program has received SIGTERM.
        private func output(of program: String) async throws -> [String] {
            try await FaultServer.withServer { server in
                let variables = ["PORT": "0", "WEBHOOK_URL": server.url("/slow-headers?ms=1000").absoluteString]
                let process = try ServiceProcess(program, variables)
                defer { process.send(SIGKILL) }
                let line = try await process.line("its port") { Self.port($0.text) != nil }
                try await Caller.withCaller(port: try #require(Self.port(line.text))) { caller in
                    for method in ["GET", "DELETE"] {
                        let answer = try await caller.send(
                            ServiceRequest(method: method, path: "/todos/7", status: 500))
                        #expect(answer.status == 500)
                    }
                    for _ in 0..<3 {
                        let answer = try await caller.send(ServiceRequest(method: "POST", path: "/todos", status: 201))
                        #expect(answer.status == 201)
                    }
                    while server.count(path: "/slow-headers") < 3 { try await Task.sleep(for: .milliseconds(5)) }
                }
                process.send(SIGTERM)
                #expect(try await process.end() == .exit(0))
                return process.lines.map(\.text)
            }
        }

        private static func port(_ text: String) -> Int? {
            text.firstMatch(of: /listening on 127\.0\.0\.1:([0-9]+)/).flatMap { Int($0.1) }
        }

        @Test func `it logs nothing without the bus, and each of five errors once with it, even of tasks at SIGTERM`()
            async throws
        {
            let before = try await output(of: "TodosBefore")
            #expect(!before.contains { $0.contains("NoSuchTodo") || $0.contains("Refused") })
            let after = try await output(of: "Todos").filter { $0.contains("exception.type=") }
            for (name, count) in [("GET /todos/{id}", 1), ("DELETE /todos/{id}", 1), ("Webhooks.Refused", 3)] {
                #expect(after.filter { $0.contains(name) }.count == count, "\(name)\n\(after)")
            }
            #expect(after.count == 5)
            // The message comes first, and the source is the service's module.
            for line in after {
                let head = line.prefix(upTo: line.firstRange(of: " exception.type=")?.lowerBound ?? line.endIndex)
                #expect(head.count <= 200 && head.contains(" error Hummingbird: [Todos] "), "\(line)")
            }
        }

        @Test func `with a bus, a failure before the server starts is reported, and the program still fails`()
            async throws
        {
            for program in ["TodosBefore", "Todos"] {
                let process = try ServiceProcess(program, ["PORT": "0", "MIGRATION": "fails"])
                defer { process.send(SIGKILL) }
                let end = try await process.end()
                #expect(end != .exit(0))
                let errors = process.lines.map(\.text).filter { $0.contains("exception.type=") }
                #expect(errors.count == (program == "Todos" ? 1 : 0), "\(errors)")
                #expect(errors.allSatisfy { $0.contains("error.scope=Application ") && $0.contains("NoSuchTodo") })
            }
        }
    }
}
