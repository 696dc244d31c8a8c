import Dispatch
import ErrorRecording
import ErrorRouting
import Foundation
import RecordingSupport
import StandardErrorWriter
import TestSupport
import Testing

@Suite("E1: reports that are pending at the end of the process are written or counted", .tags(.recording1), .hangLimit)
struct ExitTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }
}

extension ExitTests {
    @Test func `a process that calls exit has first written everything that was recorded`() async throws {
        try handOver(folder.file, as: "exit")
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            StandardError.exitLimit = .seconds(60)
            let recorder = try ErrorRecorder(path: try handedOver("exit"))
            // Release another recorder, without pending reports.
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

    @Test func `if a recorder's thread doesn't finish, the process still ends, and reports the missing lines`()
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
            // Record ten lines more than one call writes.
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
