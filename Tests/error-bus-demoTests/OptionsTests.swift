import ErrorRouting
import Foundation
import Testing

@testable import error_bus_demo

@Suite struct OptionsTests {
    @Test func `no arguments ask for an intake of made-up orders`() throws {
        let options = try Options(arguments: [])
        #expect(options.command == .intake)
        #expect(options.inbox == nil)
        #expect(options.payments == nil)
        #expect(!options.keepsFiles)
    }

    @Test func `options may stand before and after the inbox`() throws {
        let options = try Options(arguments: ["--keep", "orders", "--payments", "http://localhost:8080/pay"])
        #expect(options.inbox == "orders")
        #expect(options.payments?.absoluteString == "http://localhost:8080/pay")
        #expect(options.keepsFiles)
        #expect(try Options(arguments: ["--payments=https://pay.example"]).payments?.host() == "pay.example")
    }

    @Test func `two dashes end the options`() throws {
        #expect(try Options(arguments: ["--", "--keep"]).inbox == "--keep")
    }

    @Test(arguments: [
        (["--verbose"], "unknown option \"--verbose\""),
        (["-x"], "unknown option \"-x\""),
        (["--payments"], "--payments needs a URL"),
        (["--payments", "--keep"], "--payments needs a URL"),
        (["--payments", "localhost"], "--payments needs an http or https URL"),
        (["--payments=ftp://me:secret@localhost"], "--payments needs an http or https URL"),
        (["--keep=yes"], "--keep takes no value"),
        (["one", "two"], "more than one inbox: \"two\""),
    ])
    func `a wrong command line is refused with a reason`(arguments: [String], reason: String) {
        let error = #expect(throws: UsageError.self) { try Options(arguments: arguments.map { FilePath($0) }) }
        #expect(error?.description == reason)
        #expect(error.map { ExitStatus.ofErrors[$0] } == .usage)
    }

    @Test(arguments: ["/nowhere/at/all", "", #filePath])
    func `an inbox that cannot be listed has its own exit status`(path: String) throws {
        let error = try #require(throws: UnreadableInbox.self) { try Inbox(FilePath(path)) }
        #expect(ExitStatus.ofErrors[error] == .noInput)
        #expect(!error.description.contains("\n"))
    }
}
