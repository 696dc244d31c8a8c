import Foundation
import TestSupport
import Testing

@testable import error_bus_demo

/// Needs no process that Foundation starts, so it can run beside all other tests.
@Suite(.hangLimit) struct InteractiveWithoutTerminalTests {
    @Test func `without a terminal the command says so in one line, shows nothing, and answers 64`() async {
        // Standard output is the test's here, and no terminal.
        let end = await #expect(
            processExitsWith: .exitCode(64), observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            endIfItHangs()
            exit(try await InteractiveCommand(options: Options(arguments: ["--interactive"])).run().rawValue)
        }
        expect(end.standardErrorLines.count, equals: 1)
        expect(end.standardErrorLines.first?.contains("--interactive needs a terminal"), equals: true)
        let output = String(decoding: end?.standardOutputContent ?? [], as: UTF8.self)
        #expect(!output.contains("Keys:"))
    }
}

/// The demo as a process of its own at a pseudo-terminal, as a person sees it.
@Suite(.serialized, .hangLimit, .inProcessOfTheirOwn) struct InteractiveTests {
    private static let check = "The payment endpoint does not respond"

    @Test func `without a terminal it says so in one line, and exits with 64`() async throws {
        let end = try await DemoProcess(["--interactive"]).end()
        #expect(end.reason == .exit && end.status == 64 && end.output.isEmpty && end.leftovers.isEmpty)
        expect(end.errors.split(separator: "\n", omittingEmptySubsequences: false).count, equals: 2)
        #expect(end.errors.contains("needs a terminal"))
        // A terminal for one of the two is not enough.
        let terminal = try PseudoTerminal()
        expect(try await DemoProcess(["--interactive"], input: terminal.line).end().status, equals: 64)
        expect(try await DemoProcess(["--interactive"], output: terminal.line).end().status, equals: 64)
        #expect(terminal.text.isEmpty)
    }

    @Test func `it shows errors one at a time, tries again, dismisses and quits`() async throws {
        let terminal = try PseudoTerminal()
        #expect(terminal.isInLineMode)
        let demo = try DemoProcess(["--interactive"], input: terminal.line, output: terminal.line)
        // What the person had done comes among the intake's errors, in its turn.
        var dismissed = 0
        while !terminal.text.contains(Self.check) {
            if terminal.errorsShown > dismissed {
                try terminal.press("d")
                dismissed += 1
            }
            await Task.yield()
        }
        #expect(!terminal.isInLineMode)
        #expect(terminal.text.contains("    The payment endpoint cannot be reached.\r\n    See that somebody listens"))
        for times in 2...3 {
            try terminal.press("r")
            await terminal.wait(for: Self.check, times: times)
        }
        #expect(terminal.text.contains("trying again"))
        await terminal.wait(for: "320 of 320 files taken")
        // Where the check took long, it was the last.
        let (shown, empty) = (terminal.errorsShown, terminal.count(of: "no errors"))
        try terminal.press("d")
        while terminal.errorsShown == shown, terminal.count(of: "no errors") == empty { await Task.yield() }
        try terminal.press("q")
        let end = try await demo.end()
        #expect(end.reason == .exit && end.status == 0 && end.errors.isEmpty && end.leftovers.isEmpty)
        #expect(terminal.isInLineMode)
        await terminal.wait(for: "pending 0")
        #expect(terminal.text.contains("  received ") && !terminal.text.contains("≠"))
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal ends it in good order, and gives the terminal its mode back`(signal: Int32) async throws {
        let terminal = try PseudoTerminal()
        let demo = try DemoProcess(["--interactive"], input: terminal.line, output: terminal.line)
        await terminal.wait(for: "Keys: r retry")
        while terminal.isInLineMode { await Task.yield() }
        demo.interrupt(signal)
        let end = try await demo.end()
        #expect(end.reason == .exit && end.status == 128 + signal && end.leftovers.isEmpty)
        #expect(terminal.isInLineMode)
    }
}

extension PseudoTerminal {
    /// How many errors were shown: each is followed by its keys.
    fileprivate var errorsShown: Int { count(of: "[q] quit") }
}
