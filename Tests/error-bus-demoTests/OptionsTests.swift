import ErrorRouting
import Foundation
import TestSupport
import Testing

@testable import error_bus_demo

@Suite struct OptionsTests {}

extension OptionsTests {
    @Test func `no arguments ask for an intake of made-up orders`() throws {
        let options = try Options(arguments: [])
        expect(options.command, equals: .intake)
        expectNil(options.inbox)
        expectNil(options.payments)
        #expect(!options.keepsFiles)
    }

    @Test func `options may stand before and after the inbox, and two dashes end them`() throws {
        let options = try Options(arguments: ["--keep", "orders", "--payments", "http://localhost:8080/pay"])
        expect(options.inbox, equals: "orders")
        expect(options.payments?.absoluteString, equals: "http://localhost:8080/pay")
        #expect(options.keepsFiles)
        expect(try Options(arguments: ["--payments=https://pay.example"]).payments?.host(), equals: "pay.example")
        expect(try Options(arguments: ["--interactive"]).command, equals: .interactive)
        expect(try Options(arguments: ["--", "--keep"]).inbox, equals: "--keep")
    }

    @Test func `errors are recorded to a file`() throws {
        expect(try Options(arguments: ["--record", "-e.jsonl"]).recording, equals: "-e.jsonl")
        expect(try Options(arguments: ["orders", "--record=e.jsonl"]).recording, equals: "e.jsonl")
        expect(try Options(arguments: ["./replay"]).inbox, equals: "./replay")
        expect(try Options(arguments: ["--", "replay"]).inbox, equals: "replay")
    }

    @Test func `a wrong command line is refused with a reason`() {
        let wrong: [([FilePath], String)] = [
            (["--verbose"], "unknown option \"--verbose\""),
            (["-x"], "unknown option \"-x\""),
            (["--payments"], "--payments needs a URL"),
            (["--payments", "--keep"], "--payments needs a URL"),
            (["--payments", "localhost"], "--payments needs an http or https URL"),
            (["--payments=ftp://me:secret@localhost"], "--payments needs an http or https URL"),
            (["--keep=yes"], "--keep takes no value"),
            (["--interactive=yes"], "--interactive takes no value"),
            (["one", "two"], "more than one inbox: \"two\""),
            (["--record"], "--record needs a file"),
            (["--record="], "--record needs a file"),
            (["--explain", "--record", "one"], "--record is for an intake"),
        ]
        for (arguments, reason) in wrong {
            let error = #expect(throws: UsageError.self) { try Options(arguments: arguments) }
            expect(error?.description, equals: reason)
            expect(error.map { ExitStatus.ofErrors[$0] }, equals: .usage)
        }
    }

    @Test func `an inbox that cannot be listed has its own exit status`() throws {
        for path in ["/nowhere/at/all", "", #filePath] {
            let error = try #require(throws: UnreadableInbox.self) { try Inbox(FilePath(path)) }
            expect(ExitStatus.ofErrors[error], equals: .noInput)
            #expect(!error.description.contains("\n"))
        }
    }
}
