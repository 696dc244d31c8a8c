import ErrorRouting
import Foundation
import RecordingSupport
import TestSupport
import Testing

@testable import ErrorRecording
@testable import ErrorReplay

#if canImport(Darwin)
    import Darwin
#endif

@Suite("E6: files of any kind are read in pieces", .tags(.recording6), .hangLimit)
struct ReplayFilesTests {
    private let folder: TemporaryFolder
    private let line: [UInt8]

    init() throws {
        folder = try TemporaryFolder()
        line = try Self.line(1)
    }

    private static func line(_ sequence: Int, message: String = "late") throws -> [UInt8] {
        let origin = RecordOrigin(host: "h", service: "s", process: 1, start: "now")
        var record = ErrorRecord(
            report(POSIXError(.ENOENT)), from: origin, time: { _ in 0 }, sequence: sequence,
            rebuilding: RebuildableErrors())
        record.message = message
        return Array(RecordLine(record).bytes.dropLast())
    }

    private func write(_ bytes: [UInt8], to name: String = "errors.jsonl") throws -> String {
        let path = "\(folder.path)/\(name)"
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    private func replay(_ bytes: [UInt8]) throws -> Replay {
        var replay = Replay(rules: ErrorHandler())
        try replay.add(contentsOf: write(bytes))
        return replay
    }
}

extension ReplayFilesTests {
    @Test func `lines end with LF or CR LF, and the last line can be unterminated; invalid lines are counted`() throws {
        let (lf, cr) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        let replay = try replay(line + [lf] + line + [cr, lf, lf, cr, lf] + [0, lf, 0xFF, lf] + line)
        expect([replay.unchanged, replay.unreadable], equals: [3, 2])
        expect(replay.verdict, equals: .same)
        let broken = try self.replay(line + [lf] + line.prefix(100))
        expect([broken.unchanged, broken.unreadable], equals: [1, 1])
    }

    @Test func `a line can be as long as a recorder's, in any number of pieces; a longer line is one unreadable line`()
        throws
    {
        let lf = UInt8(ascii: "\n")
        let longest = try Self.line(1, message: String(repeating: "m", count: RecordLine.limit - line.count + 3))
        expect(longest.count, equals: RecordLine.limit - 1)
        // This is still a record, but longer than a recorder would write it.
        let tooLong = longest + [UInt8(ascii: " ")]
        let replay = try replay(Array([line, longest, tooLong, line, longest].joined(separator: [lf])))
        expect([replay.unchanged, replay.unreadable], equals: [4, 1])
        let noLine = try self.replay([UInt8](repeating: 0, count: 5 << 20) + [lf] + line)
        expect([noLine.unchanged, noLine.unreadable], equals: [1, 1])
        // Nest it deeper than any decoder allows.
        let deep = try self.replay([UInt8](repeating: UInt8(ascii: "["), count: 900_000) + [lf] + line)
        expect([deep.unchanged, deep.unreadable], equals: [1, 1])
        let endless = try self.replay(line + [lf] + [UInt8](repeating: 65, count: 3 << 20))
        expect([endless.unchanged, endless.unreadable], equals: [1, 1])
    }

    @Test func `a file that grows while it is read is read up to the line that was last at the start`() throws {
        let lf = UInt8(ascii: "\n")
        let path = try write(line + [lf] + line.prefix(50))
        let file = try #require(FileHandle(forWritingAtPath: path))
        var reader = LineReader(try ReplayInput(path)) { false }
        expect(try reader.next()?.range.count, equals: line.count)
        try file.seekToEnd()
        try file.write(contentsOf: Data(line.dropFirst(50) + [lf] + line + [lf]))
        let last = try #require(try reader.next())
        expect(Array(reader.buffer[last.range]), equals: line)
        expectNil(try reader.next().map(\.range))
        // A file that has been renamed and deleted by then is still the same file.
        var other = LineReader(try ReplayInput(path)) { false }
        try FileManager.default.removeItem(atPath: path)
        expect(try other.next()?.range.count, equals: line.count)
    }

    @Test func `a file that can't be opened is reported with the reason`() throws {
        for (path, reason) in [
            ("/nowhere/at/all", "No such file or directory"), (folder.path, "Is a directory"),
            ("\(folder.path)\0/x", "Invalid argument"),
        ] {
            var replay = Replay(rules: ErrorHandler())
            let error = #expect(throws: Replay.UnreadableInput.self) { try replay.add(contentsOf: path) }
            expect(error?.reason, equals: reason)
            expect(replay.verdict, equals: .unreadableInput)
        }
    }

    @Test func `a task that is cancelled stops reading, and the result shows that, even while a pipe has no bytes`()
        async throws
    {
        let pipe = "\(folder.path)/pipe"
        expect(unsafe mkfifo(pipe, 0o600), equals: 0)
        // Open it for both directions, which doesn't wait. The read uses one of the few threads that tests share, and
        // must finish without the other threads.
        let writer = try FileHandle(forUpdating: URL(filePath: pipe))
        try writer.write(contentsOf: Data(line))
        let reading = Task.detached {
            var replay = Replay(rules: ErrorHandler())
            try replay.add(contentsOf: pipe)
            return replay
        }
        reading.cancel()
        let replay = try await reading.value
        expect(replay.verdict, equals: .interrupted)
        #expect(replay.description.hasPrefix("Interrupted: this is what was read until then.\n"))
        try writer.close()
    }

    @Test func `replays of several files are merged: counts add up, and the first example is kept`() throws {
        let rules = ErrorHandler().ignore(domain: NSPOSIXErrorDomain)
        var parts: [Replay] = []
        for number in 1...3 {
            var part = Replay(rules: rules)
            let path = try write(Self.line(number) + [10] + line.prefix(9) + [10] + Self.line(number, message: "x"))
            try part.add(contentsOf: path)
            parts.append(part)
        }
        var merged = parts[0]
        merged.merge(parts[1])
        merged.merge(parts[2])
        expect(Array(merged.differences.values), equals: [6])
        expect(merged.changes.values.map(\.example?.sequence), equals: [1])
        expect(merged.unreadable, equals: 3)
        expect(merged.verdict, equals: .different)
        expect(Replay(rules: rules).verdict, equals: .nothingCompared)
    }

    @Test(.enabled(if: !keepsFreedMemory, "freed memory stays in use for a while"))
    func `a file doesn't need more memory than its longest line`() async throws {
        let chunk = Data(repeatElement(line + [10], count: 5_000).joined())
        let path = try write([])
        let file = try #require(FileHandle(forWritingAtPath: path))
        for _ in 0..<20 { try file.write(contentsOf: chunk) }
        try handOver([path, String(decoding: line, as: UTF8.self)], as: "large")
        // Use another process, because other tests use memory in this process.
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let handed: [String] = try handedOver("large")
            let path = handed[0]
            var replay = Replay(rules: ErrorHandler())
            replay.add(handed[1])
            let before = residentSize()
            try replay.add(contentsOf: path)
            let grown = residentSize() - before
            precondition(replay.unchanged == 100_001)
            precondition(grown < 4 << 20, "\(grown) bytes")
        }
    }
}
