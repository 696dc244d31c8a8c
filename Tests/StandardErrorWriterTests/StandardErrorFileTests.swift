import Foundation
import TestSupport
import Testing

@testable import StandardErrorWriter

@Suite("Promise 25: standard error can be any kind of file", .tags(.promise25), .hangLimit)
struct StandardErrorFileTests {}

extension StandardErrorFileTests {
    @Test("a terminal or a socket receives lines immediately or after pending lines, and its flags don't change")
    func terminal() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            for isTerminal in [false, true] {
                let stage = isTerminal ? StandardErrorStage.terminal() : .socket()
                let before = stage.flags
                StandardError.write("at once")
                // A terminal needs some time, and the thread that wrote to the socket might need time too.
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
            // A file that takes the number is detected by its flag.
            let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
            while unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600) < STDERR_FILENO {}
            for length in [1, 100_000] { StandardError.write(String(repeating: "x", count: length)) }
            StandardError.waitUntilWritten()
            expect(FileManager.default.contents(atPath: path), equals: Data())
            unsafe unlink(path)
            dup2(stage.shared, STDERR_FILENO)
            StandardError.write("open again")
            expect(stage.available().nonemptyLines.withoutNotices, equals: ["open again"])
        }
    }

    @Test("if standard error was closed at the first use, a file that takes its number doesn't receive lines")
    func closedAtStart() async throws {
        // If a file has the number before the first use, the file is detected by its flag.
        for isTaken in [false, true] {
            try handOver(isTaken, as: "taken")
            await #expect(processExitsWith: .success) {
                endIfItHangs()
                // If another thread opens a file at the same time, it receives the lowest free number.
                for number in [STDIN_FILENO, STDERR_FILENO] { close(number) }
                let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
                let isTaken: Bool = try handedOver("taken")
                if !isTaken { StandardError.write("a line") }
                let flag = isTaken ? O_CLOEXEC : 0
                while unsafe open(path, O_CREAT | O_RDWR | flag, 0o600) < STDERR_FILENO {}
                for length in [1, 100_000] { StandardError.write(String(repeating: "x", count: length)) }
                StandardError.waitUntilWritten()
                StandardError.writeAtExit(["last words"])
                expect(FileManager.default.contents(atPath: path), equals: Data())
                unsafe unlink(path)
                // A file that is opened with the library's function never has the number.
                for number in [STDIN_FILENO, STDERR_FILENO] { close(number) }
                #expect(Descriptor.open("/dev/null", O_WRONLY) > STDERR_FILENO)
                #expect(Descriptor.duplicate(STDOUT_FILENO) > STDERR_FILENO)
                expect(Descriptor.open("/nowhere/at/all", O_WRONLY), equals: -1)
                expect(errno, equals: ENOENT)
                expect(fcntl(STDERR_FILENO, F_GETFD), equals: -1)
                StandardErrorStage.end()
            }
        }
    }
}
