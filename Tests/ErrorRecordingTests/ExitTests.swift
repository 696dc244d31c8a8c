import Dispatch
import ErrorRecording
import ErrorRouting
import Foundation
import RecordingSupport
import StandardErrorWriter
import TestSupport
import Testing

@Suite("E1: what is pending at the end of the process is written, or counted", .tags(.recording1), .hangLimit)
struct ExitTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }
}

extension ExitTests {
    @Test func `a process that calls exit has written all that was recorded`() async throws {
        try handOver(folder.file, as: "exit")
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            StandardError.exitLimit = .seconds(60)
            let recorder = try ErrorRecorder(path: try handedOver("exit"))
            // One more is released, and has nothing pending.
            _ = try ErrorRecorder(path: try handedOver("exit"))
            await withErrorBus(handler: ErrorHandler()) { bus in
                bus.observeUntilEnd { recorder.record($0) }
                for number in 0..<1_000 { bus.post(Plain(number: number)) }
                #expect(await bus.flush(within: longTime))
                exit(0)
            }
        }
        expect(try RecordedFile(folder).records.map(\.sequence), equals: Array(1...1_000))
        #expect(!result.standardErrorText.contains("error-bus"))
    }

    @Test func `where the thread of a recorder does not come to its end, the process does, and says what is missing`()
        async throws
    {
        try handOver(folder.file, as: "held")
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let (arrived, never) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let configuration = ErrorRecorder.Configuration { record in
                if record.sequence == 65 {
                    arrived.signal()
                    never.wait()
                }
                return record
            }
            let recorder = try ErrorRecorder(path: try handedOver("held"), configuration: configuration)
            // As many lines as are written with one call, and ten more.
            for number in 1...74 { recorder.record(report(Plain(number: number))) }
            arrived.wait()
            exit(0)
        }
        let written = try RecordedFile(folder).records.count
        let line = "error-bus: the process ended while the recorder of \(folder.file) had \(74 - written) pending: "
        #expect(result.standardErrorText.hasPrefix(line), "\(result.standardErrorText)")
        #expect(result.standardErrorText.contains("recorded 74 = written \(written) + "))
    }
}
