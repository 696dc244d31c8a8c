import Foundation
import Synchronization
import TestSupport
import Testing

@testable import StandardErrorWriter

/// The pipe that replaces standard error, for exit handlers, which can't capture anything.
private let replacement = StandardErrorStage.pipe()
private let original = dup(STDERR_FILENO)

private func relay() {
    let text = replacement.available()
    _ = unsafe write(original, text, text.utf8.count)
}

@Suite(
    "Promise 25: at exit buffered lines are written, and nothing delays the exit", .tags(.promise25), .hangLimit)
struct StandardErrorExitTests {}

extension StandardErrorExitTests {
    @Test("pending lines are written at exit")
    func flushing() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            StandardError.exitLimit = .seconds(60)
            _ = original
            // Register this handler first, so that it runs last and passes the process's output to the test.
            atexit { relay() }
            _ = replacement.fill()
            for number in 0..<200 { StandardError.write("line \(number)") }
            // Register this handler last, so that it runs first: no output was read before it.
            atexit { relay() }
            exit(0)
        }
        expect(result.standardErrorLines, equals: (0..<200).map { "line \($0)" })
    }

    @Test("the process exits even without a reader")
    func fullAtExit() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let stage = StandardErrorStage.pipe()
            _ = stage.fill()
            for number in 0..<1_000 { StandardError.write("line \(number)") }
            exit(0)
        }
    }

    @Test("the process exits while a stopped thread holds the lock, and another handler's lines are written")
    func lockHeld() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let stage = StandardErrorStage.pipe()
            StandardError.write("before")
            let isHeld = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                StandardError.buffer.withLock { _ in
                    isHeld.signal()
                    while true { sleep(1_000) }
                }
            }
            isHeld.wait()
            StandardError.writeAtExit(["last words", "of two lines"])
            expect(stage.available().nonemptyLines, equals: ["before", "last words", "of two lines"])
            // After the time limit, another handler doesn't wait again, but the handler's lines are written.
            StandardError.writeAtExit(["very last"])
            expect(stage.available().nonemptyLines, equals: ["very last"])
            exit(0)
        }
    }

    @Test("the process exits even in the thread that holds the lock, as in a signal handler")
    func lockHeldHere() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let stage = StandardErrorStage.pipe()
            StandardError.write("before")
            expect(stage.available(), equals: "before\n")
            StandardError.buffer.withLock { _ in exit(0) }
        }
    }

    @Test("lines that wait for a stopped writer thread are written, and so are another handler's lines")
    func turnHeld() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let stage = StandardErrorStage.pipe()
            // The state is as if the thread, which doesn't exist, were in the middle of writing a line.
            StandardError.buffer.withLock { buffer in
                buffer.add(StandardError.bytes(of: "stopped"))
                _ = buffer.next()
                buffer.thread = .writing
            }
            StandardError.write("behind it")
            expect(stage.available(), equals: "")
            StandardError.writeAtExit(["last words"])
            expect(stage.available().nonemptyLines, equals: ["behind it", "last words"])
            exit(0)
        }
    }

    @Test("another handler's lines are written after pending lines")
    func inOrder() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            StandardError.exitLimit = .seconds(60)
            let stage = StandardErrorStage.pipe()
            let filled = stage.fill()
            StandardError.write("waiting")
            expect(stage.available(atMost: filled).utf8.count, equals: filled)
            StandardError.writeAtExit(["last words"])
            expect(stage.available(), equals: "waiting\nlast words\n")
        }
    }
}
