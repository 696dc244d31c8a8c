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

@Suite("E8: a file in which no line is a record causes an error", .tags(.recording8), .hangLimit)
struct FilesWithoutRecordsTests {
    /// What a replay and a page found in a file.
    private struct Result: Equatable {
        /// The reasons why the file can't be read.
        var replay, page: String?
        var verdict: Replay.Verdict?
        /// The number of unreadable lines, which is the same for both.
        var unreadable: [Int]
    }

    private let folder: TemporaryFolder
    private let record: [UInt8]

    init() throws {
        folder = try TemporaryFolder()
        record =
            RecordLine(
                ErrorRecord(type: "A", message: "m", source: "F.swift:1", fingerprint: "A")
            ).bytes
    }

    private func read(
        _ bytes: [UInt8], _ filter: RecordFilter = RecordFilter(), isCancelled: @escaping () -> Bool = { false }
    ) throws -> Result {
        try Data(bytes).write(to: URL(filePath: folder.file))
        var (replay, incident) = (Replay(rules: ErrorHandler()), Incident())
        (replay.filter, incident.filter) = (filter, filter)
        // Both have read a file with a record earlier.
        replay.add(String(decoding: record, as: UTF8.self))
        incident.add(line: record.span.extracting(droppingLast: 1))
        var result = Result(unreadable: [])
        replay.add(from: .success(try ReplayInput(folder.file)), unless: isCancelled) { result.replay = $0.reason }
        do {
            try incident.add(ReplayInput(folder.file), unless: isCancelled) { _, _ in }
        } catch {
            result.page = error.reason
        }
        result.verdict = replay.verdict
        result.unreadable = [replay.unreadable, incident.unreadable]
        return result
    }
}

extension FilesWithoutRecordsTests {
    /// "hello\n", compressed with gzip, xz, bzip2, zstd, and lz4.
    private static let compressed = [
        "1f8b0800000000000203cb48cdc9c9e7020020303a3606000000",
        "fd377a585a000004e6d6b4460200210116000000742fe5a301000568656c6c6f0a000000a56097f194f6fde000011e06c12fa41d"
            + "1fb6f37d010000000004595a",
        "425a6839314159265359c1c080e2000001410000100244a00030cd00c3462997177245385090c1c080e2",
        "28b52ffd045831000068656c6c6f0a5388bd91", "04224d186440a70600008068656c6c6f0a00000000f95b6b94",
    ].map { text in
        stride(from: 0, to: text.utf8.count, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
    }

    @Test func `compressed files, other formats, and broken lines are rejected; one record is enough`() throws {
        let lf = UInt8(ascii: "\n")
        let formats =
            Self.compressed + [
                Array("time,host,message\n2026-05-31,web-1,late\n".utf8), Array("{\"level\":\"error\"}\n".utf8),
                // The single line is broken, is a NUL, or is longer than any recorder's line.
                Array(record.prefix(100)), [0], [UInt8](repeating: 0, count: 3 << 20),
                [UInt8](repeating: 65, count: 3 << 20) + [lf],
            ]
        for (number, bytes) in formats.enumerated() {
            let rejected = try read(bytes)
            let reason = try #require(rejected.replay, "\(number)")
            #expect(reason.hasPrefix("none of its lines is a record; if it is compressed, decompress it"), "\(reason)")
            expect(rejected.page, equals: reason, "\(number)")
            expect(rejected.verdict, equals: .unreadableInput, "\(number)")
            #expect(rejected.unreadable[0] > 0, "\(number)")
            let accepted = try read(bytes + [lf] + record)
            let expected = Result(verdict: .same, unreadable: rejected.unreadable)
            expect(accepted, equals: expected, "\(number)")
        }
    }

    @Test func `a file without lines is accepted, and so is a file whose records the options exclude`() throws {
        for text in ["", "\n", "\n \t\r\n\r"] {
            expect(try read(Array(text.utf8)), equals: Result(verdict: .same, unreadable: [0, 0]), "\(text)")
        }
        let nobody = RecordFilter(hosts: ["nobody"])
        let excluded = try read(record, nobody)
        expect(excluded.unreadable, equals: [0, 0])
        expectNil(excluded.replay ?? excluded.page)
        let partly = try read(Array("{}\n".utf8) + record, nobody)
        expect(partly.unreadable, equals: [1, 1])
        expectNil(partly.replay ?? partly.page)
        // If reading stops early, the file might still have records.
        let cancelled = try read(Array("{}\n".utf8)) { true }
        expect(cancelled, equals: Result(verdict: .interrupted, unreadable: [0, 0]))
    }

    @Test func `both commands name the file and exit with 66, whatever was found in the other files`() async throws {
        try Data(record).write(to: URL(filePath: folder.file))
        let other = "\(folder.path)/errors.jsonl.2.xz"
        try Data(Self.compressed[1]).write(to: URL(filePath: other))
        let (output, errors) = (Locked(""), Locked(""))
        func run(_ arguments: String...) async -> Int32 {
            output.withLock { $0 = "" }
            // No rule matched the error when it was recorded.
            let command = ReplayCommand(
                replay: Replay(rules: ErrorHandler().ignore(matching: .any)),
                write: { text in
                    output.withLock { $0 += text }
                    return true
                },
                writeError: { text in errors.withLock { $0 += text } }, showProgress: nil)
            return await command.run(arguments)
        }
        expect(await run(folder.file), equals: 1)
        expect(await run(folder.file, "--host", "nobody"), equals: 2)
        expect(errors.withLock { $0 }, equals: "")
        expect(await run(folder.file, other), equals: 66)
        #expect(output.withLock { $0.hasPrefix("Not every file could be read: this is what was read.\n") })
        #expect(errors.withLock { $0.contains(": \(other) cannot be read: none of its lines is a record;") })
        expect(await run(other, folder.file, "--host", "nobody", "--json", "--only", "different"), equals: 66)
        #expect(output.withLock { $0.contains("\"verdict\" : \"unreadableInput\"") })

        let pageErrors = Locked("")
        var (page, command) = ("", IncidentCommand { $0.json(limit: 100_000) })
        command.write = { bytes in
            page += String(decoding: bytes, as: UTF8.self)
            return true
        }
        command.writeError = { text in pageErrors.withLock { $0 += text } }
        command.showProgress = nil
        expect(command.run([folder.file, other]), equals: 66)
        #expect(page.contains(#""reports":1,"#) && page.contains("\(other) cannot be read: none of its lines"))
        #expect(pageErrors.withLock { $0.hasPrefix("error-report: \(other) cannot be read: none of its lines") })
        expect(command.run([folder.file, "--host", "nobody"]), equals: 0)
    }

    @Test func `files to read have descriptors above 2, so that - never reads another file`() async throws {
        try Data(record).write(to: URL(filePath: folder.file))
        try handOver(folder.file, as: "closed input")
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let path: String = try handedOver("closed input")
            close(STDIN_FILENO)
            let input = try ReplayInput(path)
            // Another thread might have opened a file at the same time.
            #expect((try? ReplayInput("-"))?.identity != input.identity)
            var replay = Replay(rules: ErrorHandler())
            replay.add(from: .success(input), unless: { false }) { _ in }
            expect(replay.readable, equals: 1)
        }
    }
}
