import Foundation
import TestSupport
import Testing

@testable import StandardErrorWriter

@Suite("Behaviour 25: standard error may be any kind of file", .tags(.behaviour25), .hangLimit)
struct StandardErrorFileTests {}

extension StandardErrorFileTests {
    @Test("a terminal or a socket gets lines at once, then behind what waits, and its flags stay as they are")
    func terminal() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            for isTerminal in [false, true] {
                let stage = isTerminal ? StandardErrorStage.terminal() : .socket()
                let before = stage.flags
                StandardError.write("at once")
                // A terminal takes a moment, and so may the thread that wrote to the socket.
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

    @Test("a terminal that cannot be opened again is left to the thread")
    func terminalWithoutDescriptors() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let stage = StandardErrorStage.terminal()
            let before = Self.setDescriptorLimit(3)
            let sent = (0..<3_000).map { "line \($0) " + String(repeating: "x", count: 100) }
            for line in sent { StandardError.write(line) }
            expect(stage.lines(3_000), equals: sent)
            _ = Self.setDescriptorLimit(before)
        }
    }

    @Test("a full terminal that nobody reads, and that cannot be opened again, does not hold the thread")
    func fullTerminalWithoutDescriptors() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let terminal = StandardErrorStage.terminal()
            let before = Self.setDescriptorLimit(3)
            // More than the terminal takes. It says that there is room where less fits than the thread writes at a time
            // to a pipe. If the thread comes to that later than this waits, the test shows nothing, and passes.
            StandardError.write(String(repeating: "x", count: 100_000))
            usleep(500_000)
            _ = Self.setDescriptorLimit(before)
            let pipe = StandardErrorStage.pipe()
            StandardError.write("the last")
            var text = ""
            while !text.hasSuffix("the last\n"), pipe.isReadable(milliseconds: 10_000) { text += pipe.available() }
            #expect(text.hasSuffix("x\nthe last\n"))
            #expect(!terminal.available().isEmpty)
        }
    }

    @Test("a regular file gets whole lines where others write too, by appending or at a shared offset")
    func regularFile() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            for flags in [O_APPEND, 0] {
                let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
                let file = unsafe open(path, O_CREAT | O_RDWR | flags, 0o600)
                // Another one that appends has a place of its own; one that does not shares this one's.
                let other = flags == 0 ? dup(file) : unsafe open(path, O_WRONLY | O_APPEND)
                dup2(file, STDERR_FILENO)
                var sent: [String] = []
                for number in 0..<100 {
                    let line = "line \(number) " + String(repeating: "x", count: number == 50 ? 100_000 : 50)
                    StandardError.write(line)
                    _ = unsafe write(other, "other\n", 6)
                    sent += [line, "other"]
                }
                let content = FileManager.default.contents(atPath: path) ?? Data()
                expect(String(decoding: content, as: UTF8.self).nonemptyLines, equals: sent)
                unsafe unlink(path)
            }
        }
    }

    @Test(
        "a full disk or a closed descriptor costs the lines meanwhile, which are counted; the null device none",
        .onLinux("elsewhere a thread writes to a pipe, a moment later"))
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
            // Whatever another thread opens meanwhile gets the lowest number that is free.
            close(STDIN_FILENO)
            close(STDERR_FILENO)
            for number in 0..<10 { StandardError.write("line \(number)") }
            dup2(stage.shared, STDERR_FILENO)
            StandardError.write("open again")
            expect(stage.available().nonemptyLines.withoutNotices, equals: ["open again"])
        }
    }

    @Test("the program may put another file in its place: what waits goes there, whole lines of it")
    func replaced() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let first = StandardErrorStage.pipe()
            let long = String(repeating: "0123456789", count: 10_000)
            // The first pipe has the beginning of this one, and takes no more.
            StandardError.write(long)
            for number in 0..<100 { StandardError.write("line \(number)") }
            let second = StandardErrorStage.pipe()
            expect(second.lines(101), equals: [long] + (0..<100).map { "line \($0)" })
            #expect(long.hasPrefix(first.available()))
        }
    }

    @Test(
        "the library keeps no file open that the program has replaced by another",
        .onLinux("elsewhere a thread writes to a pipe, a moment later"))
    func released() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            for stage in [StandardErrorStage.pipe(), .namedPipe()] {
                dup2(stage.shared, STDERR_FILENO)
                StandardError.write("a line")
                expect(stage.available(), equals: "a line\n")
                dup2(unsafe open("/dev/null", O_WRONLY), STDERR_FILENO)
                close(stage.shared)
                // The end of the pipe can be read, since nobody could write any more.
                #expect(stage.isReadable(milliseconds: 10_000))
                expect(stage.available(), equals: "")
            }
        }
    }

    /// - Returns: The limit before.
    private static func setDescriptorLimit(_ count: rlim_t) -> rlim_t {
        #if canImport(Darwin)
            let resource = RLIMIT_NOFILE
        #else
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        var limit = rlimit()
        unsafe getrlimit(resource, &limit)
        let before = limit.rlim_cur
        limit.rlim_cur = count
        expect(unsafe setrlimit(resource, &limit), equals: 0)
        return before
    }
}
