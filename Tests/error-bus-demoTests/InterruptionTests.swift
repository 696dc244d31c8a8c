import Foundation
import TestSupport
import Testing

@testable import error_bus_demo

/// Ctrl-C while the demo runs: it is a process of its own here, and gets real signals.
@Suite(.serialized, .timeLimit(.minutes(15)), .inProcessOfTheirOwn) struct InterruptionTests {
    /// How many interrupts; more of them with `ERROR_BUS_LONG`.
    static let count = ProcessInfo.processInfo.environment["ERROR_BUS_LONG"] == "1" ? 200 : 10

    @Test func `interrupted at any moment, it drains, gives an account, and leaves nothing behind`() async throws {
        let bases = [DemoProcess.memory, DemoProcess.disk]
        var durations: [Duration] = []
        for base in bases {
            let whole = try await DemoProcess(in: base).end()
            #expect(whole.reason == .exit && whole.status == 0 && whole.lawHolds && whole.leftovers.isEmpty)
            durations.append(whole.duration)
        }
        var exits: [String: Int] = [:]
        var (interrupts, posted, tooEarly, tooLate, leftovers) = (0, 0, 0, 0, 0)
        while interrupts < Self.count {
            // Three of four are Ctrl-C, and one is what a supervisor sends. Every third comes twice: the same, since of
            // two that wait the system delivers the one with the lower number first.
            let signal = interrupts % 4 == 3 ? SIGTERM : SIGINT
            let moment = durations[interrupts % 2] * Double.random(in: 0...1)
            let demo = try DemoProcess(in: bases[interrupts % 2])
            try await Task.sleep(for: moment)
            let came = demo.interrupt(signal)
            if interrupts % 3 == 0 { demo.interrupt(signal) }
            let end = try await demo.end()
            leftovers += end.leftovers.count
            #expect(end.leftovers.isEmpty, "interrupted after \(moment)")
            if !came || end.reason == .exit && end.status == 0 && end.lawHolds {
                // The demo had ended before, or was just about to end.
                tooLate += 1
            } else if end.reason == .uncaughtSignal, end.status == signal, end.output.isEmpty {
                // The demo was still being loaded, and could not handle a signal.
                tooEarly += 1
                #expect(moment < .milliseconds(200), "it was killed after \(moment)")
            } else {
                interrupts += 1
                exits["\(end.reason == .exit ? "exit" : "signal") \(end.status)", default: 0] += 1
                if end.law?.hasPrefix("  posted 0 ") == false { posted += 1 }
                #expect(end.reason == .exit && end.status == 128 + signal, "interrupted after \(moment): \(end)")
                #expect(end.lawHolds, "interrupted after \(moment): \(end)")
            }
            try #require(tooLate < 100 + Self.count && tooEarly < 100 + Self.count)
        }
        print("demo: \(interrupts) interrupts, \(posted) of them with errors posted by then, in runs of \(durations):")
        print("demo: \(exits), \(leftovers) files left behind; besides, \(tooEarly) came before the program")
        print("demo: had begun, and \(tooLate) after its end")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `it does not wait for payments under way`(signal: Int32) async throws {
        var endpoint = try SilentEndpoint()
        let demo = try DemoProcess(["--payments", endpoint.url.absoluteString])
        try endpoint.waitForConnection()
        demo.interrupt(signal)
        let end = try await demo.end()
        #expect(end.reason == .exit && end.status == 128 + signal)
        #expect(end.lawHolds && end.leftovers.isEmpty)
        #expect(end.output.contains("\nInterrupted."))
        // All eight workers had sent a request, or had not got so far; none was answered, and none counts as failed.
        #expect(end.output.contains("\n     0  of them due for another attempt at payment\n"))
    }

    @Test func `where it cannot end, a later Ctrl-C ends it, and the temporary folder goes with it`() async throws {
        let pipe = Pipe()
        let writing = pipe.fileHandleForWriting
        // Nobody reads the pipe, and it is full: the first line that the demo writes never ends.
        let flags = fcntl(writing.fileDescriptor, F_GETFL)
        _ = fcntl(writing.fileDescriptor, F_SETFL, flags | O_NONBLOCK)
        for size in [4096, 1] {
            let bytes = [UInt8](repeating: 0, count: size)
            while unsafe write(writing.fileDescriptor, bytes, size) > 0 {}
        }
        _ = fcntl(writing.fileDescriptor, F_SETFL, flags)
        let demo = try DemoProcess(output: writing)
        while !demo.hasTemporaryFiles { await Task.yield() }
        let begin = ContinuousClock.now
        while demo.interrupt() { try await Task.sleep(for: .milliseconds(50)) }
        let end = try await demo.end()
        #expect(end.reason == .exit && end.status == 130)
        #expect(end.leftovers.isEmpty)
        #expect(ContinuousClock.now - begin >= Interruption.patience)
        // Keeps the pipe's reader open until here.
        withExtendedLifetime(pipe) {}
    }

    @Test func `an explanation that is interrupted leaves nothing behind either`() async throws {
        var interrupted = 0
        for _ in 1...20 where interrupted == 0 {
            let demo = try DemoProcess(["--explain"], in: DemoProcess.disk)
            while demo.isRunning, !demo.hasTemporaryFiles { await Task.yield() }
            demo.interrupt()
            let end = try await demo.end()
            #expect(end.reason == .exit && end.leftovers.isEmpty)
            // An explanation takes no time to speak of, and may have been faster.
            interrupted += end.status == 130 ? 1 : 0
        }
        expect(interrupted, equals: 1)
    }

    @Test func `without a signal it ends with a status of its own`() async throws {
        let end = try await DemoProcess(["--wrong"]).end()
        #expect(end.reason == .exit && end.status == ExitStatus.usage.rawValue)
        #expect(end.errors.contains("unknown option"))
    }
}
