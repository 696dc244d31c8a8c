import ErrorRouting
import Foundation
import RecordingSupport
import TestSupport
import Testing

@testable import ErrorRecording

#if canImport(Darwin)
    import Darwin
#endif

@Suite("E2: a kill breaks at most the last line, and processes can share a path", .tags(.recording2), .hangLimit)
struct CrashTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }
}

extension CrashTests {
    @Test func `processes that are repeatedly killed in the middle of a flood leave at most one broken line each`()
        async throws
    {
        let rounds = isLong ? 8 : 4
        try handOver(folder.file, as: "killed")
        for round in 1...rounds {
            try handOver(round, as: "round")
            await #expect(processExitsWith: .signal(SIGKILL)) {
                endIfItHangs()
                let (path, round): (String, Int) = (try handedOver("killed"), try handedOver("round"))
                let recorder = try ErrorRecorder(path: path, configuration: .init(fileSize: 200_000, fileCount: 20))
                // Kill it when it has written a few lines, at a different time in each round.
                Thread.detachNewThread {
                    while recorder.statistics.written < 20 * round { sched_yield() }
                    kill(getpid(), SIGKILL)
                }
                while true { recorder.record(report(Sized(length: 40 * round))) }
            }
        }
        // The next recorder terminates the last line.
        try await ErrorRecorder(path: folder.file).recordAll([Order.late])
        var (records, broken): ([ErrorRecord], Int) = ([], 0)
        for name in folder.names {
            let file = try RecordedFile("\(folder.path)/\(name)")
            #expect(file.text.hasSuffix("\n"))
            records += file.records
            broken += file.lines.count - file.records.count
        }
        #expect(broken <= rounds)
        let processes = Dictionary(grouping: records, by: \.start)
        expect(processes.count, equals: rounds + 1)
        for (start, records) in processes {
            // The lines from before the kill have no gaps, except for reports that the full queue dropped.
            let sequences = records.map(\.sequence).sorted()
            expect(Set(sequences).count, equals: sequences.count, "\(start)")
            expect(sequences.first, equals: 1, "\(start)")
        }
        // Each process was killed only after it had counted this many lines as written.
        for (round, count) in zip(1..., processes.sorted { $0.key < $1.key }.map(\.value.count).dropLast()) {
            #expect(count >= 20 * round)
        }
    }

    @Test func `three processes write to one rotated path: every line is whole, and none is lost or duplicated`()
        async throws
    {
        try handOver(folder.file, as: "shared")
        func write() async {
            await #expect(processExitsWith: .success) {
                endIfItHangs()
                let configuration = ErrorRecorder.Configuration(
                    fileSize: 100_000, fileCount: 21, service: "\(getpid())")
                let recorder = try ErrorRecorder(path: try handedOver("shared"), configuration: configuration)
                for number in 0..<1_000 {
                    recorder.record(report(Sized(length: 100 + number % 50)))
                    if number % 50 == 0 { await recorder.settle() }
                }
                let statistics = await recorder.close(within: longTime)
                expect(statistics, equals: .init(recorded: 1_000, written: 1_000))
            }
        }
        async let first: Void = write()
        async let second: Void = write()
        async let third: Void = write()
        _ = await (first, second, third)
        let records = try RecordedFile.all(at: folder.file)
        #expect(folder.names.count > 5)
        let processes = Dictionary(grouping: records, by: \.service)
        expect(processes.count, equals: 3)
        for (name, records) in processes { expect(records.map(\.sequence), equals: Array(1...1_000), "\(name)") }
    }

    @Test func `a reader that follows the file's name receives every line over many rotations`() async throws {
        let recorder = try ErrorRecorder(path: folder.file, configuration: .init(fileSize: 20_000, fileCount: 2))
        var follower = Follower(folder.file)
        var sequences: [Int] = []
        for _ in 0..<60 {
            // Record so few reports that the second-to-last file still exists when the reader opens it.
            for _ in 0..<10 { recorder.record(report(Sized(length: 500))) }
            await recorder.settle()
            sequences += try follower.read()
        }
        await recorder.close(within: longTime)
        sequences += try follower.read()
        expect(sequences, equals: Array(1...600))
    }

    /// Reads like `tail -F`: it reads the open file to its end before it opens the file that now has the name.
    private struct Follower {
        private let path: String
        private var handle: FileHandle?
        private var rest = Data()

        init(_ path: String) { self.path = path }

        mutating func read() throws -> [Int] {
            var sequences: [Int] = []
            for _ in 0..<2 {
                rest += try handle?.readToEnd() ?? Data()
                let next = try FileHandle(forReadingFrom: URL(filePath: path))
                if let handle, try Self.number(of: handle) == Self.number(of: next) { break }
                // Read the bytes that arrived between reading the old file and opening the new file.
                rest += try handle?.readToEnd() ?? Data()
                handle = next
            }
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                sequences.append(try JSONDecoder().decode(ErrorRecord.self, from: rest[..<end]).sequence)
                rest = Data(rest[(end + 1)...])
            }
            return sequences
        }

        private static func number(of handle: FileHandle) throws -> UInt64 {
            var file = stat()
            guard unsafe fstat(handle.fileDescriptor, &file) == 0 else { throw POSIXError(.EBADF) }
            return UInt64(file.st_ino)
        }
    }
}
