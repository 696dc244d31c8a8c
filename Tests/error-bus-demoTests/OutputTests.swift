import Foundation
import TestSupport
import Testing

@testable import error_bus_demo

/// What the demo writes, and what it does where it cannot.
@Suite struct OutputTests {}

extension OutputTests {
    @Test func `an endpoint is shown without user info, query and fragment`() throws {
        for (url, shown) in [
            ("http://me:secret@localhost:8080/pay?key=secret#secret", "http://localhost:8080/pay"),
            ("https://secret@[::1]/?secret", "https://[::1]/"), ("http://pay.example", "http://pay.example"),
        ] { expect(PaymentClient(endpoint: try #require(URL(string: url))).shownEndpoint, equals: shown) }
    }
}

/// The same in a process of its own.
@Suite(.timeLimit(.minutes(5)), .inProcessOfTheirOwn) struct DemoOutputTests {
    #if os(Linux)
        @Test(arguments: [[], ["--explain"], ["--help"]])
        func `where standard output is full, it says so, and does not succeed`(arguments: [String]) async throws {
            let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
            let end = try await DemoProcess(arguments, output: full).end()
            #expect(end.reason == .exit && end.status == ExitStatus.outputError.rawValue)
            #expect(end.errors.contains("error-bus-demo: cannot write to standard output: "))
            #expect(end.leftovers.isEmpty)
        }
    #endif

    @Test func `a reader that has seen enough is no failure`() async throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let end = try await DemoProcess(["--help"], output: pipe.fileHandleForWriting).end()
        #expect(end.reason == .exit && end.status == 0 && end.errors.isEmpty)
    }

    @Test func `no secret of the payment endpoint's URL is written`() async throws {
        let inbox = try SampleInbox(kinds: [.good: 3])
        defer { inbox.remove() }
        let url = "http://me:secret@127.0.0.1:1/payments?key=secret#secret"
        for more in [[], ["--explain"]] {
            let end = try await DemoProcess([inbox.folder.path, "--payments", url] + more).end()
            #expect(end.status == 0 && !end.output.isEmpty)
            #expect(!end.output.contains("secret") && !end.errors.contains("secret"))
        }
    }
}
