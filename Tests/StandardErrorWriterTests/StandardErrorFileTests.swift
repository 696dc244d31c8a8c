import Foundation
import TestSupport
import Testing

@testable import StandardErrorWriter

@Suite("Behaviour 25: standard error can be any kind of file", .tags(.behaviour25), .hangLimit)
struct StandardErrorFileTests {}

extension StandardErrorFileTests {
    @Test("a terminal or a socket receives lines at once or after pending ones, and its flags don't change")
    func terminal() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            for isTerminal in [false, true] {
                let stage = isTerminal ? StandardErrorStage.terminal() : .socket()
                let before = stage.flags
                StandardError.write("at once")
                // A terminal needs some time, and so might the thread that wrote to the socket.
                if isTerminal { #expect(stage.isReadable(milliseconds: 10_000)) }
                expect(stage.available(), equals: "at once\n")
                let sent = (0..<5_000).map { "line \($0) " + String(repeating: "x", count: 100) }
                for line in sent { StandardError.write(line) }
                expect(stage.flags, equals: before)
                expect(stage.lines(5_000), equals: sent)
                expect(stage.flags, equals: before)
            }
        }
    }

    @Test("a regular file receives whole lines even if others write, by appending or at a shared offset")
    func regularFile() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            for flags in [O_APPEND, 0] {
                let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
                let file = unsafe open(path, O_CREAT | O_RDWR | flags, 0o600)
                // A second descriptor that appends has its own offset. One that doesn't append shares this offset.
                let other = flags == 0 ? dup(file) : unsafe open(path, O_WRONLY | O_APPEND)
                dup2(file, STDERR_FILENO)
                var sent: [String] = []
                for number in 0..<100 {
                    let line = "line \(number) " + String(repeating: "x", count: number == 50 ? 100_000 : 50)
                    StandardError.write(line)
                    StandardError.waitUntilWritten()
                    _ = unsafe write(other, "other\n", 6)
                    sent += [line, "other"]
                }
                let content = FileManager.default.contents(atPath: path) ?? Data()
                expect(String(decoding: content, as: UTF8.self).nonemptyLines, equals: sent)
                unsafe unlink(path)
            }
        }
    }

    @Test("a full disk or a closed descriptor loses lines, which are counted, and the null device loses none")
    func fullDisk() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let full = unsafe open("/dev/full", O_WRONLY)
            if full >= 0 {
                dup2(full, STDERR_FILENO)
                for number in 0..<10 { StandardError.write("line \(number)") }
                let stage = StandardErrorStage.pipe()
                StandardError.write("space again")
                let lines = stage.lines(2)
                expect(lines.first, equals: "space again")
                expect(lines.countOfLost, equals: 10)
            }
            dup2(unsafe open("/dev/null", O_WRONLY), STDERR_FILENO)
            for number in 0..<10_000 { StandardError.write("line \(number)") }
            let stage = StandardErrorStage.pipe()
            StandardError.write("the only one")
            expect(stage.available(), equals: "the only one\n")
            // If another thread opens a file at the same time, it receives the lowest free number.
            close(STDIN_FILENO)
            close(STDERR_FILENO)
            for number in 0..<10 { StandardError.write("line \(number)") }
            dup2(stage.shared, STDERR_FILENO)
            StandardError.write("open again")
            expect(stage.available().nonemptyLines.withoutNotices, equals: ["open again"])
        }
    }
}
