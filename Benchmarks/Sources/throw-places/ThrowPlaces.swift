import ErrorOrigins
import ErrorRouting
import Foundation

/// Measures what recording the places of throws adds to a throw and to a post; fails above the limits.
@main
enum ThrowPlaces {
    private static let rounds = 15
    private static let count = 100_000

    struct Plain: Error { let number: Int }

    enum Typed: Error { case failed(Int) }

    @inline(never)
    private static func throwPlain(_ number: Int) throws { if number >= 0 { throw Plain(number: number) } }

    @inline(never)
    private static func throwTyped(_ number: Int) throws(Typed) { if number >= 0 { throw .failed(number & 7) } }

    static func main() async {
        await measureMemory()
        await measure()
    }

    /// Prints the process's resident size, which names make larger: the system reads the files with debug information.
    @concurrent
    private static func measureMemory() async {
        let before = residentSize
        guard OriginRecording.start() else { return fail(["recording didn't start"]) }
        let started = residentSize
        let report = ErrorReport(error: thrown(), source: .init())
        let bus = ErrorBus(handler: ErrorHandler())
        bus.post(report.error)
        while report.origin?.frames.first?.function == nil { await Task.yield() }
        _ = await bus.shutdown(within: .zero)
        print("resident size: \(before) KiB, recording \(started) KiB, with the first name \(residentSize) KiB")
    }

    private static var residentSize: Int {
        // Pages of 4 KiB; 0 on other systems, where nothing is recorded.
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4
    }

    @concurrent
    private static func measure() async {
        let subjects: [(name: String, limit: Double, body: () async -> Double)] = [
            ("a throw", 100, { perCall { for number in 0..<count { do { try throwPlain(number) } catch {} } } }),
            ("a typed throw", 100, { perCall { for number in 0..<count { do { try throwTyped(number) } catch {} } } }),
            ("a throw, with eight threads", 100, { await onEightThreads() }),
            ("a post", 50, { await posts() }),
        ]
        var failures: [String] = []
        var times = subjects.map { _ in (off: [Double](), on: [Double](), added: [Double]()) }
        for _ in 0..<rounds {
            for (index, subject) in subjects.enumerated() {
                OriginRecording.stop()
                let off = await subject.body()
                guard OriginRecording.start() else { return fail(["recording didn't start"]) }
                let on = await subject.body()
                times[index].off.append(off)
                times[index].on.append(on)
                times[index].added.append(on - off)
            }
        }
        for ((name, limit, _), time) in zip(subjects, times) {
            let (off, on, added) = (median(time.off), median(time.on), median(time.added))
            print("| \(name) | \(off.formatted) ns | \(on.formatted) ns |")
            if added > limit { failures.append("\(name) takes \(added.formatted) ns more, above \(limit.formatted)") }
        }
        fail(failures)
    }

    private static func fail(_ failures: [String]) {
        for failure in failures { print("FAILED \(failure)") }
        if !failures.isEmpty { exit(1) }
    }

    private static func thrown() -> any Error {
        do { try throwPlain(1) } catch { return error }
        return Plain(number: 0)
    }

    /// Returns the nanoseconds of each of the calls.
    private static func perCall(_ body: () -> Void) -> Double {
        ContinuousClock().measure(body) / .nanoseconds(count)
    }

    /// Posts errors that were thrown just before, to a bus whose worker doesn't disturb the poster.
    private static func posts() async -> Double {
        let (batches, size) = (50, 2_000)
        var time = Duration.zero
        let bus = ErrorBus(handler: ErrorHandler(), configuration: .init(capacity: batches * size))
        for _ in 0..<batches {
            let error = thrown()
            time += ContinuousClock().measure { for _ in 0..<size { bus.post(error) } }
        }
        _ = await bus.shutdown(within: .zero)
        return time / .nanoseconds(batches * size)
    }

    private static func onEightThreads() async -> Double {
        let processorTime = clock()
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for number in 0..<count { do { try throwPlain(number) } catch {} } }
            }
        }
        return Double(clock() - processorTime) / Double(CLOCKS_PER_SEC) * 1e9 / Double(8 * count)
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}

extension Double {
    fileprivate var formatted: String { String(format: "%.0f", self) }
}
