import Contenders
import Dispatch
import ErrorRecording
import ErrorReplay
import ErrorRouting
import Foundation

/// Measures the cost of a recorder and a replay and prints the tables for `Results/recording.md`.
///
/// It measures processor time, because other processes on the machine would lengthen the elapsed time.
@main
enum RecordingCosts {
    private enum Plain: Error { case declined(code: Int) }
    private enum Rebuildable: Error, Codable { case declined(code: Int) }
    private struct Described: Error, CustomStringConvertible { let description: String }

    private static let capacity = 4_096

    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "recording-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "errors.jsonl").path

        let full = try memoryOfFullQueue(path)
        let recording = try (0..<41).map { _ in try record(path, isFull: false) }
        let dropping = try (0..<41).map { _ in try record(path, isFull: true) }
        let metadata = ["request": "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "route": "/orders/{id}", "method": "POST"]
        let text = Described(description: String(repeating: "the provider declined ", count: 5))
        print("| recording | median (quartiles) |\n| --- | --- |")
        row("one call of `record` (ns)", recording.map { $0 * 1e9 })
        row("one call of `record` while the queue is full (ns)", dropping.map { $0 * 1e9 })
        let enumCase = try lines(path) { report(Plain.declined(code: $0)) }
        row("a line for an enum case (µs)", enumCase)
        row(
            "a line for an error with a description and three metadata entries (µs)",
            try lines(path) { _ in report(text, metadata) })
        row(
            "a line for an enum case that a replay can rebuild (µs)",
            try lines(path) { report(Rebuildable.declined(code: $0)) })
        print("| a full queue of \(capacity.formatted()) reports (KiB) | \(full / 1_024) |")
        try printReplaying(folder.appending(path: "lines").path, recordingAnEnumCase: quartiles(enumCase)[0])
    }

    /// Prints the time per replayed line, also relative to the microseconds for recording an enum case.
    private static func printReplaying(_ path: String, recordingAnEnumCase recording: Double) throws {
        let count = 200_000
        var memory = 0
        print("\n| replaying a line | relative time | µs |\n| --- | --- | --- |")
        let kinds = [
            ("cached verdict", 1), ("cached verdict, one of 1,000", 1_000),
            ("new value, so no cached verdict; rules check only type and domain", count),
        ]
        for (name, codes) in kinds {
            let lines = (0..<count).map { ReplayedLine.text(code: $0 % codes) }
            try lines.joined(separator: "\n").write(toFile: path, atomically: false, encoding: .utf8)
            let before = try residentSize()
            let times = try (0..<5).map { _ in
                var replay = Replay(rules: ReplayedLine.rules, rebuilding: ReplayedLine.rebuilding)
                let begin = seconds(CLOCK_PROCESS_CPUTIME_ID)
                try replay.add(contentsOf: path)
                precondition(replay.unchanged == count, "\(replay)")
                return (seconds(CLOCK_PROCESS_CPUTIME_ID) - begin) / Double(count) * 1e6
            }
            memory = max(memory, try residentSize() - before)
            let time = quartiles(times)[0]
            print("| \(name) | \(text(time / recording * 100, digits: 2))% | \(text(time, digits: 2)) |")
        }
        print("\nReplaying \(count.formatted()) lines adds \(memory / 1_024) KiB to the memory.")
    }

    private static func report(_ error: any Error, _ metadata: [String: String] = [:]) -> ErrorReport {
        ErrorReport(error: error, source: .init(fileID: "Intake/Rules.swift", line: 12), metadata: metadata)
    }

    /// Prints a table row with the median and the quartiles.
    private static func row(_ name: String, _ values: [Double]) {
        let texts = quartiles(values).map { text($0, digits: 3) }
        print("| \(name) | \(texts[0]) (\(texts[1])–\(texts[2])) |")
    }

    /// Returns the median, the lower quartile, and the upper quartile.
    private static func quartiles(_ values: [Double]) -> [Double] {
        let sorted = values.sorted()
        return [2, 1, 3].map { sorted[sorted.count * $0 / 4] }
    }

    private static func text(_ value: Double, digits: Int) -> String {
        value.formatted(.number.precision(.significantDigits(digits)))
    }

    /// Returns the seconds of processor time for recording one report while the writer is blocked.
    private static func record(_ path: String, isFull: Bool) throws -> Double {
        let (barrier, arrived) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let recorder = try ErrorRecorder(path: path, configuration: held(barrier, arrived))
        recorder.record(report(Plain.declined(code: 0)))
        arrived.wait()
        let report = report(Plain.declined(code: 1))
        let count = capacity - 1
        if isFull { for _ in 0..<count { recorder.record(report) } }
        let begin = seconds(CLOCK_THREAD_CPUTIME_ID)
        for _ in 0..<count { recorder.record(report) }
        let duration = seconds(CLOCK_THREAD_CPUTIME_ID) - begin
        barrier.signal()
        return duration / Double(count)
    }

    /// Returns the microseconds of processor time per line, including all threads and the recording of the report.
    private static func lines(_ path: String, _ make: (Int) -> ErrorReport) throws -> [Double] {
        let recorder = try ErrorRecorder(
            path: path, configuration: .init(capacity: capacity),
            rebuilding: RebuildableErrors().adding(Rebuildable.self))
        return (0..<21).map { _ in
            let reports = (0..<capacity).map(make)
            let begin = seconds(CLOCK_PROCESS_CPUTIME_ID)
            for report in reports { recorder.record(report) }
            while recorder.statistics.pending > 0 { usleep(2_000) }
            return (seconds(CLOCK_PROCESS_CPUTIME_ID) - begin) / Double(capacity) * 1e6
        }
    }

    /// Returns how many bytes the process grows when the recorder's queue fills up.
    private static func memoryOfFullQueue(_ path: String) throws -> Int {
        let (barrier, arrived) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let recorder = try ErrorRecorder(path: path, configuration: held(barrier, arrived))
        recorder.record(report(Plain.declined(code: 0)))
        arrived.wait()
        _ = try residentSize()
        let before = try residentSize()
        for number in 1..<capacity { recorder.record(report(Plain.declined(code: number))) }
        let after = try residentSize()
        barrier.signal()
        return after - before
    }

    /// Returns a configuration whose writer signals `arrived` at the first report and then waits for `barrier`.
    private static func held(_ barrier: DispatchSemaphore, _ arrived: DispatchSemaphore) -> ErrorRecorder.Configuration
    {
        .init(capacity: capacity) { record in
            if record.sequence == 1 {
                arrived.signal()
                barrier.wait()
            }
            return record
        }
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func residentSize() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[1]
        return (Int(pages) ?? 0) * Int(getpagesize())
    }
}
