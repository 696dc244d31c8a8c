import Benchmark
import Contenders

/// The contenders of `compare`, measured with the harness of `swift package benchmark`.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput],
        scalingFactor: .kilo,
        maxDuration: .milliseconds(500)
    )
    for contender in Contender.all {
        Benchmark("\(contender.name), \(contender.rules) rules") { benchmark in
            await contender.run(benchmark.scaledIterations.count)
        }
    }
}
