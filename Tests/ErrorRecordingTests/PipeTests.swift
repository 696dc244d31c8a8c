import ErrorRouting
import Foundation
import RecordingSupport
import TestSupport
import Testing

@testable import ErrorRecording

#if canImport(Darwin)
    import Darwin
#endif

@Suite("E2: a recorder waits for pipes, and descriptors are only appended to", .tags(.recording2), .hangLimit)
struct PipeTests {
    private let folder: TemporaryFolder
    /// The path of a named pipe that isn't open yet.
    private let pipe: String

    init() throws {
        folder = try TemporaryFolder()
        pipe = "\(folder.path)/pipe"
        expect(unsafe mkfifo(pipe, 0o600), equals: 0)
    }

    private func openReader() -> FileHandle {
        let reader = unsafe open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        // From now on, a read would wait.
        _ = fcntl(reader, F_SETFL, 0)
        return FileHandle(fileDescriptor: reader, closeOnDealloc: false)
    }

    /// Whether the pipe has room, so that a write wouldn't wait.
    private var hasRoom: Bool {
        let writer = unsafe open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(writer) }
        var room = pollfd(fd: writer, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&room, 1, 0) > 0
    }

    /// Reads lines up to the end of the pipe, on a separate thread.
    private func records(from reader: FileHandle) async -> [ErrorRecord] {
        let text = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: String(decoding: reader.readDataToEndOfFile(), as: UTF8.self))
            }
        }
        #expect(text.isEmpty || text.hasSuffix("\n"))
        return text.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(ErrorRecord.self, from: Data($0.utf8))
        }
    }
}

extension PipeTests {
    @Test func `a recorder waits for a full pipe, closing doesn't wait, and a slow reader receives all lines whole`()
        async throws
    {
        let recorders = try (0..<2).map { _ in try ErrorRecorder(path: pipe, configuration: .init(fileSize: 1_000)) }
        let reader = openReader()
        defer { try? reader.close() }
        for recorder in recorders {
            for number in 0..<150 { recorder.record(report(Sized(length: number * 60))) }
            let full = await recorder.close(within: .milliseconds(100))
            #expect(full.pending > 0 && full.isBalanced, "\(full)")
            expect(full.failed, equals: 0)
        }
        async let records = records(from: reader)
        for recorder in recorders {
            expect(await recorder.close(within: longTime), equals: .init(recorded: 150, written: 150))
        }
        let received = Dictionary(grouping: await records, by: \.start)
        expect(received.values.map { $0.map(\.sequence) }, equals: [Array(1...150), Array(1...150)])
        expect(folder.names, equals: ["pipe"])
    }

    @Test
    func `without a reader, lines fail immediately, even pending lines; with a reader, they are written`() async throws
    {
        let recorder = try ErrorRecorder(path: pipe)
        recorder.record(report(Order.late))
        await recorder.settle()
        expect(recorder.statistics, equals: .init(recorded: 1, failed: 1))
        let first = openReader()
        for _ in 0..<200 { recorder.record(report(Sized(length: 4_000))) }
        // The system reports when a pipe has room, but not when it is full, so check repeatedly.
        await eventually("the pipe is full") { !hasRoom }
        try first.close()
        await recorder.settle()
        let statistics = recorder.statistics
        #expect(statistics.failed > 1 && statistics.isBalanced, "\(statistics)")
        let second = openReader()
        defer { try? second.close() }
        async let records = records(from: second)
        expect(await recorder.recordAll([Order.late]).written, equals: statistics.written + 1)
        expect(await records.last?.sequence, equals: 202)
    }

    @Test func `a write-only pipe needs no reader at the start, and lines fail until it has one`() async throws {
        try handOver(pipe, as: "write only")
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let pipe: String = try handedOver("write only")
            // Root has all permissions.
            if geteuid() == 0 {
                expect(unsafe chown(pipe, 65_534, 65_534), equals: 0)
                expect(seteuid(65_534), equals: 0)
            }
            expect(unsafe chmod(pipe, 0o200), equals: 0)
            let recorder = try ErrorRecorder(path: pipe)
            recorder.record(report(Order.late))
            await recorder.settle()
            expect(unsafe chmod(pipe, 0o600), equals: 0)
            let reader = unsafe open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            expect(unsafe chmod(pipe, 0o200), equals: 0)
            expect(await recorder.recordAll([Order.late]), equals: .init(recorded: 2, written: 1, failed: 1))
            let text = FileHandle(fileDescriptor: reader).readDataToEndOfFile()
            expect(try JSONDecoder().decode(ErrorRecord.self, from: text).sequence, equals: 2)
            endWithoutLeakCheck()
        }
    }

    @Test(arguments: ["/dev/fd/", "link to /dev/fd/", "/proc/self/fd/"])
    func `a process's descriptor is neither renamed nor truncated, and its file keeps the old output`(kind: String)
        async throws
    {
        #if canImport(Darwin)
            if kind.hasPrefix("/proc") { return }
        #endif
        // Open it as a shell does for `>`: without `O_APPEND`.
        let descriptor = unsafe open(folder.file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let program = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var path = "\(kind)\(descriptor)"
        if kind.hasPrefix("link") {
            path = "\(folder.path)/link"
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/fd/\(descriptor)")
        }
        let recorder = try ErrorRecorder(path: path, configuration: .init(fileSize: 1, fileCount: 1))
        try program.write(contentsOf: Data("begin\n".utf8))
        recorder.record(report(Order.late))
        await recorder.settle()
        try program.write(contentsOf: Data("middle\n".utf8))
        expect(await recorder.recordAll([Order.late]).written, equals: 2)
        try program.write(contentsOf: Data("end\n".utf8))
        let file = try RecordedFile(folder)
        expect(
            file.lines.map { $0.hasPrefix("{") ? "record" : $0 },
            equals: ["begin", "record", "middle", "record", "end"])
        expect(file.records.map(\.sequence), equals: [1, 2])
        #expect(folder.names.allSatisfy { ["errors.jsonl", "link", "pipe"].contains($0) })
    }

    #if os(Linux)
        @Test func `the file behind another process's descriptor is appended to, and not renamed`() async throws {
            try Data().write(to: URL(filePath: folder.file))
            let process = Process()
            process.executableURL = URL(filePath: "/bin/cat")
            process.standardInput = Pipe()
            process.standardOutput = try FileHandle(forWritingTo: URL(filePath: folder.file))
            try process.run()
            defer { process.terminate() }
            let path = "/proc/\(process.processIdentifier)/fd/1"
            let recorder = try ErrorRecorder(path: path, configuration: .init(fileSize: 1))
            expect(await recorder.recordAll([Order.late, Order.late]).written, equals: 2)
            expect(try RecordedFile(folder).records.map(\.sequence), equals: [1, 2])
            expect(folder.names, equals: ["errors.jsonl", "pipe"])
        }
    #endif
}
