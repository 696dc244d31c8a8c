import Foundation
import Testing

@testable import error_bus_demo

/// Ctrl-C while the demo runs: it is a process of its own here, and gets real signals.
@Suite(.serialized, .timeLimit(.minutes(10))) struct InterruptionTests {
    /// How many interrupts; more of them with `ERROR_BUS_LONG`.
    static let count = ProcessInfo.processInfo.environment["ERROR_BUS_LONG"] == "1" ? 200 : 10

    @Test func `interrupted at any moment, it drains, gives an account, and leaves nothing behind`() async throws {
        let whole = try await DemoProcess().end()
        #expect(whole.reason == .exit && whole.status == 0 && whole.lawHolds && whole.leftovers.isEmpty)
        var exits: [String: Int] = [:]
        var (interrupts, tooEarly, tooLate, leftovers) = (0, 0, 0, 0)
        while interrupts < Self.count {
            // Three of four are Ctrl-C, and one is what a supervisor sends; every third comes twice.
            let signal = interrupts % 4 == 3 ? SIGTERM : SIGINT
            let moment = whole.duration * Double.random(in: 0...1)
            let demo = try DemoProcess()
            try await Task.sleep(for: moment)
            let came = demo.interrupt(signal)
            if interrupts % 3 == 0 { demo.interrupt(SIGINT) }
            let end = try await demo.end()
            leftovers += end.leftovers.count
            #expect(end.leftovers.isEmpty, "interrupted after \(moment)")
            if !came || end.reason == .exit && end.status == 0 && end.lawHolds {
                // It had ended before, or was just about to.
                tooLate += 1
            } else if end.reason == .uncaughtSignal, [SIGINT, signal].contains(end.status), end.output.isEmpty {
                // It was still being loaded, and nobody can handle a signal then.
                tooEarly += 1
                #expect(moment < .milliseconds(200), "it was killed after \(moment)")
            } else {
                interrupts += 1
                exits["\(end.reason == .exit ? "exit" : "signal") \(end.status)", default: 0] += 1
                #expect(end.reason == .exit && end.status == 128 + signal, "interrupted after \(moment): \(end)")
                #expect(end.lawHolds, "interrupted after \(moment): \(end)")
            }
            try #require(tooLate < 100 + Self.count && tooEarly < 100 + Self.count)
        }
        print("demo: \(interrupts) interrupts within \(whole.duration): \(exits), \(leftovers) files left behind;")
        print("demo: besides, \(tooEarly) came before the program had begun, and \(tooLate) after its end")
    }
}
