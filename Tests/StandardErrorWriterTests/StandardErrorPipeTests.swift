import Foundation
import TestSupport
import Testing

@testable import StandardErrorWriter

@Suite(
    "Promise 25: a pipe receives whole lines in order, and doesn't block callers when it is full",
    .tags(.promise25), .hangLimit)
struct StandardErrorPipeTests {}

extension StandardErrorPipeTests {
    @Test("a line that fits is written when the call returns; one of 100 KB is whole, and others follow")
    func atOnce() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let stage = StandardErrorStage.pipe()
            for number in 0..<100 {
                StandardError.write("line \(number)")
                expect(stage.available(), equals: "line \(number)\n")
            }
            let long = String(repeating: "0123456789", count: 10_000)
            let sent = ["before", long, "after", long, "end"]
            for line in sent { StandardError.write(line) }
            expect(stage.lines(5), equals: sent)
        }
    }

    @Test(
        "a full pipe doesn't block; pending lines follow whole and in order, even if the pipe is non-blocking")
    func full() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            for isNonBlocking in [false, true] {
                let stage = StandardErrorStage.pipe()
                _ = stage.fill()
                if isNonBlocking { _ = fcntl(stage.shared, F_SETFL, stage.flags | O_NONBLOCK) }
                let before = stage.flags
                let sent = (0..<2_000).map { "line \($0) " + String(repeating: "x", count: 100) }
                for line in sent { StandardError.write(line) }
                expect(stage.flags, equals: before)
                expect(stage.lines(2_000), equals: sent)
                expect(stage.flags, equals: before)
                // After the count, lines are written immediately again, but the writer might not have finished yet.
                while StandardError.buffer.withLock({ $0.thread == .writing }) { yieldToOtherThreads() }
                StandardError.write("at once")
                expect(stage.available(), equals: "at once\n")
            }
        }
    }

    @Test("a slow reader receives all lines, up to 1 MiB, in small portions")
    func slow() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let stage = StandardErrorStage.pipe()
            let sent = (0..<9_000).map { "line \($0) " + String(repeating: "x", count: $0 % 200) }
            Thread.detachNewThread { for line in sent { StandardError.write(line) } }
            var received = LineCollector()
            while received.accounted < sent.count, stage.isReadable(milliseconds: 10_000) {
                received.add(stage.available(atMost: 1 + received.lines.count % 5_000))
            }
            expect(received.lines, equals: sent)
        }
    }

    @Test("lines beyond 1 MiB are counted, and the count is written as soon as the pipe accepts bytes")
    func lost() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let stage = StandardErrorStage.pipe()
            _ = stage.fill()
            let sent = (0..<20_000).map { "line \($0) " + String(repeating: "x", count: 90) }
            for line in sent { StandardError.write(line) }
            var received = LineCollector()
            while received.accounted < sent.count, stage.isReadable(milliseconds: 10_000) {
                received.add(stage.available())
            }
            let lines = received.lines.withoutNotices
            expect(received.accounted, equals: sent.count)
            expect(lines, equals: Array(sent.prefix(lines.count)))
            #expect(lines.reduce(0) { $0 + $1.utf8.count + 1 } > 1_000_000)
            // One batch of lines was begun before any line was lost, so the notice comes after this batch.
            expect(received.lines.firstIndex { $0.hasPrefix("error-bus: ") }.map { $0 < 100 }, equals: true)
        }
    }

    @Test("all lines are received or counted, however fast they are written and how slowly they are read")
    func balance() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let stage = StandardErrorStage.pipe()
            let sent = (0..<40_000).map { "line \($0) " + String(repeating: "x", count: $0 % 150) }
            Thread.detachNewThread { for line in sent { StandardError.write(line) } }
            var received = LineCollector()
            while received.accounted < sent.count, stage.isReadable(milliseconds: 10_000) {
                received.add(stage.available(atMost: 3_000))
            }
            expect(received.accounted, equals: sent.count)
            let lines = received.lines.withoutNotices
            let numbers = lines.compactMap { Int($0.split(separator: " ")[1]) }
            expect(numbers, equals: numbers.sorted())
            expect(Set(numbers).count, equals: lines.count)
            #expect(Set(sent).isSuperset(of: lines))
        }
    }
}
