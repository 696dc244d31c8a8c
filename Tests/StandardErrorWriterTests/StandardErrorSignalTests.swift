import Foundation
import Synchronization
import TestSupport
import Testing

@testable import StandardErrorWriter

private let calls = Atomic<Int>(0)

@Suite(
    "Promise 25: a standard error without a reader neither ends the process nor calls its SIGPIPE handler",
    .tags(.promise25), .hangLimit)
struct StandardErrorSignalTests {}

extension StandardErrorSignalTests {
    @Test("the process continues although it doesn't handle the signal, even if the reader disappears during a write")
    func byDefault() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            signal(SIGPIPE, SIG_DFL)
            let stages = [StandardErrorStage.pipe(), .socket()]
            for stage in stages {
                dup2(stage.shared, STDERR_FILENO)
                stage.closeReader()
                for number in 0..<100 { StandardError.write("line \(number)") }
                // The signal isn't pending any longer.
                #expect(!Self.isPending)
                #expect(!Self.isBlocked)
            }
            let stage = StandardErrorStage.pipe()
            _ = stage.fill()
            for _ in 0..<1_000 { StandardError.write(String(repeating: "x", count: 500)) }
            stage.closeReader()
            // The thread detects that there is no reader, and gives up all lines.
            StandardError.waitUntilWritten()
            StandardErrorStage.end()
        }
    }

    @Test("the program's own handler is neither called nor replaced")
    func ownHandler() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            signal(SIGPIPE) { _ in calls.wrappingAdd(1, ordering: .relaxed) }
            let before = Self.handler
            let stage = StandardErrorStage.pipe()
            stage.closeReader()
            for number in 0..<100 { StandardError.write("line \(number)") }
            StandardError.waitUntilWritten()
            expect(calls.load(ordering: .relaxed), equals: 0)
            expect(Self.handler, equals: before)
            // The program's handler still receives the signal that the program's own write causes.
            _ = unsafe write(stage.shared, "x", 1)
            // On Darwin, it can run in any thread.
            while calls.load(ordering: .relaxed) == 0 { yieldToOtherThreads() }
            expect(calls.load(ordering: .relaxed), equals: 1)
            StandardErrorStage.end()
        }
    }

    @Test(
        "SIGPIPE stays blocked if it was blocked, and is pending afterwards only if it was pending before",
        .onLinux("Darwin sends it to the process, and none is raised"))
    func blocked() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            // The signal belongs to a thread, so the whole test runs in one thread.
            signal(SIGPIPE, SIG_DFL)
            let stage = StandardErrorStage.pipe()
            stage.closeReader()
            var set = sigset_t()
            unsafe sigemptyset(&set)
            unsafe sigaddset(&set, SIGPIPE)
            unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
            StandardError.write("a line")
            #expect(Self.isBlocked)
            #expect(!Self.isPending)
            _ = unsafe write(stage.shared, "x", 1)
            #expect(Self.isPending)
            StandardError.write("a line")
            #expect(Self.isBlocked)
            #expect(Self.isPending)
            StandardErrorStage.end()
            // The signal must not end this process.
            signal(SIGPIPE, SIG_IGN)
        }
    }

    private static var isPending: Bool {
        var set = sigset_t()
        unsafe sigpending(&set)
        return unsafe sigismember(&set, SIGPIPE) == 1
    }

    private static var isBlocked: Bool {
        var set = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, nil, &set)
        return unsafe sigismember(&set, SIGPIPE) == 1
    }

    /// The handler, which is first in the structure.
    ///
    /// The rest of the structure can differ each time.
    private static var handler: [UInt8] {
        var action = sigaction()
        unsafe sigaction(SIGPIPE, nil, &action)
        return unsafe withUnsafeBytes(of: action) { unsafe Array($0.prefix(MemoryLayout<Int>.size)) }
    }
}
