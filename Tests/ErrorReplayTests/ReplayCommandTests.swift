import ErrorRouting
import Foundation
import RecordingSupport
import Synchronization
import TestSupport
import Testing

@testable import ErrorRecording
@testable import ErrorReplay

@Suite("E6: a replay as a command has an exit status for each result", .tags(.recording6), .hangLimit)
struct ReplayCommandTests {
    private let folder: TemporaryFolder
    private let output = Locked("")
    private let errors = Locked("")

    init() throws { folder = try TemporaryFolder() }

    /// Records errors of two hosts and two times.
    private func record() async throws {
        for (host, service) in [("a", "shop"), ("b", "intake")] {
            let recorder = try ErrorRecorder(
                path: "\(folder.path)/\(host)",
                configuration: .init(service: service, release: host == "b" ? "2.4.1" : nil, host: host) { record in
                    var record = record
                    record.time = "2026-05-31T1\(record.sequence):05:09.125000Z"
                    return record
                }, rebuilding: RebuildableErrors().adding(Order.self))
            await recorder.recordAll([Order.late, Plain(number: 1), POSIXError(.ENOENT)])
        }
    }

    private func run(_ arguments: String..., isInterrupted: @escaping @Sendable () -> Bool = { false }) async -> Int32 {
        output.withLock { $0 = "" }
        errors.withLock { $0 = "" }
        let rules = ErrorHandler().ignore(Order.late, fileID: "Shop/New.swift", line: 1)
        let command = ReplayCommand(
            replay: Replay(rules: rules, rebuilding: RebuildableErrors().adding(Order.self)),
            isInterrupted: isInterrupted,
            write: { text in
                output.withLock { $0 += text }
                return true
            },
            writeError: { text in errors.withLock { $0 += text } }, showProgress: nil)
        return await command.run(arguments.map { $0.replacing("/folder/", with: "\(folder.path)/") })
    }

    private var text: String { output.withLock { $0 } }
}

extension ReplayCommandTests {
    @Test func `each result has a status: same, different, nothing compared, unreadable, interrupted, invalid`()
        async throws
    {
        try await record()
        expect(await run("/folder/a", "--type", "Foundation.POSIXError"), equals: 0)
        expect(await run("/folder/a", "/folder/b"), equals: 1)
        #expect(text.hasPrefix("4 unchanged, 2 different, 0 not judged, 0 never delivered, 0 unreadable lines\n"))
        #expect(text.contains("\n          example: late (a, 1)\n"))
        expect(await run("/folder/b", "--json"), equals: 1)
        #expect(text.contains(#""release" : "2.4.1""#))
        expect(await run("/folder/a", "--type", "Nowhere"), equals: 2)
        #expect(text.contains("\nNothing was compared: "))
        expect(await run("/dev/null"), equals: 2)
        expect(await run("/folder/a", "/nowhere/at/all", "/folder/b"), equals: 66)
        #expect(text.hasPrefix("Not every file could be read: this is what was read.\n\n4 unchanged, 2 different"))
        #expect(errors.withLock { $0.hasSuffix(": /nowhere/at/all cannot be read: No such file or directory\n") })
        let calls = Atomic(0)
        let status = await run("/folder/a") { calls.add(1, ordering: .relaxed).oldValue > 2 }
        expect(status, equals: 130)
        #expect(text.hasPrefix("Interrupted: this is what was read until then.\n\n"))
        expect(await run(), equals: 64)
        expect(await run("--help"), equals: 0)
        let statuses = Replay.Verdict.allCases.map { text.contains(" \($0.exitStatus)") }
        expect(statuses, equals: Replay.Verdict.allCases.map { _ in true }, "\(text)")
    }

    @Test func `options select records by time, host, service, release, and type`() async throws {
        try await record()
        for (arguments, count) in [
            (["--since", "2026-05-31T12"], 4),
            (["--since=2026-05-31T12:05:09.125000Z", "--until", "2026-05-31T13"], 2),
            (["--until=2026-05-31T11:05:09.125Z"], 0), (["--host", "a"], 3), (["--host", "a", "--host=b"], 6),
            (["--release", "2.4.1"], 3), (["--release", "2.4"], 0), (["--service", "intake", "--host", "a"], 0),
            (["--type", "Order", "--type", "Foundation.POSIXError"], 4),
        ] {
            var replay = Replay(rules: ErrorHandler(), rebuilding: RebuildableErrors().adding(Order.self))
            replay.filter = try ReplayOptions(["-"] + arguments).filter
            for host in ["a", "b"] { try replay.add(contentsOf: "\(folder.path)/\(host)") }
            expect(6 - replay.leftOut, equals: count, "\(arguments)")
            // Test Foundation's decoder too, not only the scanner.
            for host in ["a", "b"] {
                for line in try RecordedFile("\(folder.path)/\(host)").lines {
                    replay.add(line.replacing("{", with: "{ "))
                }
            }
            expect(12 - replay.leftOut, equals: 2 * count, "\(arguments)")
        }
    }

    @Test func `an invalid command line is rejected with a reason`() {
        let wrong = [
            ([], "a file is needed, or - for standard input"), (["-", "-"], "standard input can be read only once"),
            (["a", "--since"], "--since needs a value"), (["a", "--host"], "--host needs a value"),
            (["a", "--since", "yesterday"], "--since needs a time in UTC such as 2026-05-31T16:05, not \"yesterday\""),
            (
                ["a", "--until=2026-05-31T16:05+02:00"],
                "--until needs a time in UTC such as 2026-05-31T16:05, not \"2026-05-31T16:05+02:00\""
            ),
            (["a", "--only", "same"], "--only knows no \"same\", only different"),
            (["a", "--json=yes"], "--json takes no value"), (["a", "--verbose"], "unknown option \"--verbose\""),
        ]
        for (arguments, reason) in wrong {
            let error = #expect(throws: ReplayUsageError.self) { try ReplayOptions(arguments) }
            expect(error?.description, equals: reason)
        }
        expect((try? ReplayOptions(["--", "--json"]))?.files, equals: ["--json"])
    }

    @Test func `a file that several paths name is read once`() async throws {
        try await record()
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/link", withDestinationPath: "\(folder.path)/a")
        expect(await run("/folder/a", "/folder/link", "/folder/a", "--json"), equals: 1)
        struct Summary: Decodable {
            let verdict: String
            let unchanged: [String: Int]
        }
        let summary = try JSONDecoder().decode(Summary.self, from: Data(text.utf8))
        expect(summary.verdict, equals: "different")
        expect(summary.unchanged, equals: ["reports": 2, "occurrences": 2])
        expect(await run("/folder/a", "--only", "different"), equals: 1)
        #expect(text.hasPrefix("Different, the most frequent first:\n") && !text.contains("unchanged"))
    }

    @Test func `progress shows lines, lines per second, and the remaining time, only on a terminal`() {
        expect(
            ReplayProgress.text(3_000, 10, of: 40, after: .seconds(2)), equals: "3000 lines, 1500 a second, 6 s left")
        expect(ReplayProgress.text(3, 10, of: nil, after: .seconds(3)), equals: "3 lines, 1 a second")
        let shown = Locked<[String]>([])
        let progress = ReplayProgress(of: 100) { text in shown.withLock { $0.append(text) } }
        progress.add(lines: 1, bytes: 1)
        progress.end()
        #expect(shown.withLock { $0.isEmpty }, "it is over before anybody would have read it")
    }

    @Test func `Ctrl-C soon ends the process with 130 and the table of the lines that were read`() async throws {
        try handOver(folder.path, as: "interrupted")
        let result = await #expect(processExitsWith: .exitCode(130), observing: [\.standardOutputContent]) {
            endIfItHangs()
            let folder: String = try handedOver("interrupted")
            // A pipe that contains one line and receives no more.
            let pipe = "\(folder)/pipe"
            expect(unsafe mkfifo(pipe, 0o600), equals: 0)
            let writer = try FileHandle(forUpdating: URL(filePath: pipe))
            try writer.write(contentsOf: Data("{}\n".utf8))
            let descriptor = writer.fileDescriptor
            Thread.detachNewThread {
                // Wait until the line has been read. After that, the process can only wait for more.
                var unread = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                while unsafe poll(&unread, 1, 0) > 0 { usleep(1_000) }
                interruptedAt.store(Timestamp.now, ordering: .relaxed)
                kill(getpid(), SIGINT)
            }
            atexit { print("ended after \(Timestamp.now - interruptedAt.load(ordering: .relaxed)) microseconds") }
            let arguments = [pipe]
            heldAtExit.withLock { $0 = (writer, arguments) }
            await Replay.main(rules: ErrorHandler(), arguments: arguments)
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(output.contains("Interrupted: this is what was read until then.\n"))
        #expect(output.contains(" 1 unreadable lines\n"))
        let time = output.split(separator: " ").drop { $0 != "after" }.dropFirst().first.flatMap { Int($0) }
        // A tenth of a second would be enough, except on a heavily loaded machine.
        #expect(try #require(time) < 1_000_000, "\(output)")
    }
}

/// Values in an exit test's process that must live until the process exits.
///
/// The optimizer drops the variables of a caller when a call doesn't return, and the leak sanitizer would report their
/// values.
private let heldAtExit = Locked<(writer: FileHandle?, arguments: [String])>((nil, []))

/// When the process of an exit test was interrupted, in microseconds since 1970.
private let interruptedAt = Atomic<Int64>(0)
