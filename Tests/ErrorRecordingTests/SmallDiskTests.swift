import ErrorRouting
import Foundation
import RecordingSupport
import TestSupport
import Testing

@testable import ErrorRecording

/// Runs on a file system that really fills up; `.ci/engines` mounts it.
@Suite("E1: a disk that fills up and is freed leaves only whole lines", .tags(.recording1), .hangLimit)
struct SmallDiskTests {}

extension SmallDiskTests {
    private static let disk = ProcessInfo.processInfo.environment["ERROR_RECORDING_SMALL_DISK"]

    @Test(.enabled(if: disk != nil, "run .ci/engines"))
    func `lines that don't fit fail, no partial line is left, and the next line is written once there is room`()
        async throws
    {
        let disk = try #require(Self.disk)
        let (path, ballast) = ("\(disk)/errors.jsonl", "\(disk)/ballast")
        try Data(repeating: 0, count: 128 << 10).write(to: URL(filePath: ballast))
        let recorder = try ErrorRecorder(path: path, configuration: .init(fileSize: 1 << 20))
        for round in 1...3 {
            for number in 0..<400 { recorder.record(report(Sized(length: 500 + number))) }
            await recorder.settle()
            let statistics = recorder.statistics
            #expect(statistics.failed > 0 && statistics.isBalanced)
            let file = try RecordedFile(path)
            #expect(file.isWhole && file.records.count == statistics.written, "\(statistics)")
            // Leave room for some lines, and at the end for all.
            if round == 1 { try Data(repeating: 0, count: 64 << 10).write(to: URL(filePath: ballast)) }
            if round == 2 { try FileManager.default.removeItem(atPath: ballast) }
        }
        try FileManager.default.removeItem(atPath: path)
        let before = recorder.statistics
        expect(await recorder.recordAll((0..<50).map(Plain.init)).written, equals: before.written + 50)
        expect(try RecordedFile(path).records.count, equals: 50)
    }
}
