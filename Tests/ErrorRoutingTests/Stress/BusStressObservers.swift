import ErrorRouting
import TestSupport

/// The reports that one observer of a stress test has read.
struct StressReading: Sendable {
    /// The only type that it observes; nil for all types.
    var type: String?
    var read: [(sequence: UInt64, missed: Int)] = []
    /// Whether it has read everything up to the end.
    var isWhole = false
}

extension StressPlan {
    /// Observes again and again, each time differently, until the bus has ended.
    func observe(_ bus: ErrorBus, _ id: Int, on stage: StressStage) async {
        var random = SplitMix64(seed: seed &* 77 &+ UInt64(id))
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        for _ in 0..<200 {
            let limit = [1, 2, 16, 1_000][number(0...3)]
            let patience = number(0...3) == 0 ? Int.max : number(1...50)
            let pause = number(0...3)
            let reading: StressReading
            switch number(0...3) {
            case 0:
                // Open a stream that is never read, and release it.
                _ = bus.reports(bufferingNewest: limit)
                await Task.yield()
                continue
            case 1:
                let stream = bus.reports(matching: .type(Stress.Quick.self), bufferingNewest: limit)
                reading = await read(stream, Stress.Quick.name, patience, pause) { $0.report }
            case 2:
                let stream = bus.reports(bufferingNewest: limit)
                let task = Task { await read(stream, nil, .max, pause) { $0 } }
                for _ in 0..<number(0...20) { await Task.yield() }
                task.cancel()
                var cancelled = await task.value
                // A cancelled observer hasn't read the remaining reports, unless the bus had already ended.
                cancelled.isWhole = false
                reading = cancelled
            default:
                reading = await read(bus.reports(bufferingNewest: limit), nil, patience, pause) { $0 }
            }
            stage.note { $0.readings.append(reading) }
            if reading.isWhole || stage.hasEnded { return }
        }
    }

    private func read<Element: Sendable>(
        _ stream: AsyncStream<Element>,
        _ type: String?,
        _ patience: Int,
        _ pause: Int,
        _ report: (Element) -> ErrorReport
    ) async -> StressReading {
        var reading = StressReading(type: type)
        for await element in stream {
            let report = report(element)
            reading.read.append((report.sequence, report.missed))
            if reading.read.count == patience { return reading }
            for _ in 0..<pause { await Task.yield() }
        }
        reading.isWhole = true
        return reading
    }
}
