import ErrorRouting
import Foundation
import RecordingSupport
import TestSupport
import Testing

@testable import ErrorRecording

@Suite("E1: a flood of errors takes bounded memory, and no line is lost", .tags(.recording1), .hangLimit(minutes: 20))
struct StormTests {}

extension StormTests {
    /// The test takes ten minutes with `ERROR_BUS_LONG=1`.
    private static let duration = Duration.milliseconds(isLong ? 600_000 : 500)

    @Test func `memory stays flat, the counts balance at any time, and lines that count as written are in the files`()
        async throws
    {
        // Use a separate process, so that no other test uses its memory.
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            endIfItHangs(after: 1_100)
            try await StormTests.storm()
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        for line in output.split(separator: "\n") where line.hasPrefix("recorded ") { print(line) }
    }

    private static func storm() async throws {
        let folder = try TemporaryFolder()
        let configuration = ErrorRecorder.Configuration(capacity: 512, fileSize: 1 << 20, fileCount: 4)
        let recorder = try ErrorRecorder(
            path: folder.file, configuration: configuration, rebuilding: RebuildableErrors().adding(Order.self))
        var sizes: [Int] = []
        await withErrorBus(handler: ErrorHandler().on(Order.self) { _ in .stop }) { bus in
            bus.observeUntilEnd { recorder.record($0) }
            await withTaskGroup { group in
                for poster in 1...2 {
                    group.addTask {
                        var number = poster
                        while !Task.isCancelled { await postBurst(to: bus, &number) }
                    }
                }
                var number = 3
                let begin = ContinuousClock.now
                // On a busy machine the time might be too short for the checks below.
                while ContinuousClock.now - begin < duration || recorder.statistics.written <= 1_000 {
                    await postBurst(to: bus, &number)
                    let statistics = recorder.statistics
                    #expect(statistics.isBalanced && (0...512).contains(statistics.pending), "\(statistics)")
                    // Skip the first part, during which queues and caches fill up.
                    if sizes.isEmpty, ContinuousClock.now - begin > duration / 4, let size = allocatedSize() {
                        sizes.append(size)
                    }
                }
                if let size = allocatedSize() { sizes.append(size) }
                group.cancelAll()
            }
        }
        let statistics = await recorder.close(within: longTime)
        #expect(statistics.isBalanced && statistics.pending == 0 && statistics.failed == 0, "\(statistics)")
        #expect(statistics.written > 1_000, "\(statistics)")
        let growth = (sizes.last ?? 0) - (sizes.first ?? 0)
        #expect(growth < 4 << 20, "grown by \(growth >> 10) KiB, \(statistics)")
        // The oldest files are deleted; the numbers in the remaining files are in order.
        let sequences = try RecordedFile.all(at: folder.file).map(\.sequence)
        #expect(sequences == sequences.sorted() && sequences.count > 1_000)
        #expect(sequences.count == statistics.written || folder.names.count == 4)
        print("\(statistics); grown by \(growth >> 10) KiB")
    }

    /// Posts many different errors and waits until the recorder has received them.
    ///
    /// The bursts of three tasks together exceed the recorder's queue. Don't wait with a time limit: libdispatch caches
    /// up to 20 MB for cancelled timers, which would hide what the recorder keeps.
    private static func postBurst(to bus: ErrorBus, _ number: inout Int) async {
        for _ in 0..<300 {
            number += 7
            let error: any Error = number % 2 == 0 ? Order.overLimit(cents: number) : Sized(length: number % 900)
            bus.post(error, metadata: ["number": "\(number)"])
        }
        await bus.deliver(Sized(length: 0))
    }
}
