import Dispatch
import ErrorRecording
import ErrorReplay
import ErrorRouting

/// The contenders for a recorder and a replay.
///
/// They record a report while the writer is blocked, record and write a line, and replay a line.
///
/// Their instructions are counted, because the times of two threads depend more on the machine than on the recorder.
extension Contender {
    package static var recording: [Contender] {
        [
            Contender("handing over a report", rules: 1) { count in record(count) },
            Contender("a recorded line", rules: 1, iterations: 2_000) { count in
                let recorder = recorder(capacity: count) { $0 }
                for _ in 0..<count { recorder.record(report(E1())) }
                await recorder.close(within: .seconds(600))
            },
            Contender("a replayed line, its verdict kept", rules: 8, iterations: 2_000) { count in
                replay(count) { _ in 1 }
            },
            Contender("a replayed line, its value new", rules: 8, iterations: 2_000) { count in replay(count) { $0 } },
        ]
    }

    private static func replay(_ count: Int, _ code: (Int) -> Int) {
        var replay = Replay(rules: ReplayedLine.rules, rebuilding: ReplayedLine.rebuilding)
        for number in 0..<count { replay.add(ReplayedLine.text(code: code(number))) }
        precondition(replay.unchanged == count, "\(replay)")
    }

    private static func record(_ count: Int) {
        let (barrier, arrived) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let recorder = recorder(capacity: count + 1) { record in
            // Block the writer at the first report, so that later reports aren't written.
            arrived.signal()
            barrier.wait()
            return record
        }
        let report = report(E1())
        recorder.record(report)
        arrived.wait()
        for _ in 0..<count { recorder.record(report) }
    }

    private static func recorder(
        capacity: Int, _ redact: @escaping @Sendable (ErrorRecord) -> ErrorRecord
    ) -> ErrorRecorder {
        do {
            return try ErrorRecorder(path: "/dev/null", configuration: .init(capacity: capacity, redact: redact))
        } catch {
            fatalError("\(error)")
        }
    }

    private static func report(_ error: any Error) -> ErrorReport {
        ErrorReport(error: error, source: .init(fileID: "Contenders/Recording.swift", line: 1))
    }
}
