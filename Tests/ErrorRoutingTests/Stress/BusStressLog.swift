import Foundation
import StandardErrorWriter
import TestSupport

@testable import ErrorRouting

/// Runs the stress test again and again and records the faults of each run in a file.
///
/// A second file contains the current run's standard error, which is redirected. No other code may run in this process.
struct StressLog {
    private let log: FileHandle
    private let output: FileHandle

    init(_ path: String) {
        func file(_ path: String) -> FileHandle {
            let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_APPEND, 0o600)
            if descriptor < 0 { fatalError("cannot open \(path)") }
            return FileHandle(fileDescriptor: descriptor)
        }
        log = file(path)
        output = file(path + ".err")
    }

    /// Runs for the given time, or until there is a fault.
    func fill() async {
        let standardError = dup(STDERR_FILENO)
        dup2(output.fileDescriptor, STDERR_FILENO)
        // Restore standard error for the output of a sanitizer at the end.
        defer { dup2(standardError, STDERR_FILENO) }
        let end = ContinuousClock.now + .seconds(StressTime.seconds)
        var seed = StressTime.seed
        var (count, sum) = (0, ErrorBus.Statistics())
        repeat {
            let plan = StressPlan(seed: seed)
            // The file contains only the current run.
            ftruncate(log.fileDescriptor, 0)
            write("\(plan)\n")
            guard let counts = await counts(of: plan) else { return }
            sum.add(counts)
            if !StressTime.repeats { seed += 1 }
            count += 1
        } while ContinuousClock.now < end
        write("\(count) runs from seed \(StressTime.seed) on, \(sum), and all is right\n")
    }

    /// Runs once.
    ///
    /// - Returns: The bus's counts; nil if there was a fault.
    private func counts(of plan: StressPlan) async -> ErrorBus.Statistics? {
        ftruncate(output.fileDescriptor, 0)
        let isOver = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
            if isOver.wait(timeout: .now() + 60) == .success { return }
            write("seed \(plan.seed) hangs\n")
            abort()
        }
        var (evidence, wrong) = await plan.run()
        // Lines might be waiting behind a thread that was interrupted while it wrote.
        StandardError.waitUntilWritten()
        isOver.signal()
        try? output.seek(toOffset: 0)
        let text = (try? output.readToEnd()).map { String(decoding: $0, as: UTF8.self) } ?? ""
        evidence.written = text.split(separator: "\n").map { .init($0) }
        wrong += evidence.written.filter { $0.reason == nil }.map { "on standard error: \($0.seen)" }
        wrong += StressLaws.broken(by: evidence, in: plan)
        if wrong.isEmpty { return evidence.statistics }
        write("seed \(plan.seed): \(evidence.statistics)\n" + wrong.prefix(20).map { "  \($0)\n" }.joined())
        return nil
    }

    private func write(_ text: String) {
        try? log.write(contentsOf: Data(text.utf8))
    }
}

extension ErrorBus.Statistics {
    fileprivate mutating func add(_ other: Self) {
        posted += other.posted
        handled += other.handled
        ignored += other.ignored
        unmatched += other.unmatched
        suppressed += other.suppressed
        dropped += other.dropped
        pending += other.pending
        actionFailures += other.actionFailures
    }
}
