import Contenders
import ErrorRecovery

/// The cost of retries and circuits around an operation that succeeds, and the effect of jitter on many clients.
struct RecoveryPart: Part {
    static let name = "recovery"

    var subjects: [Subject] { Contender.recovery.map(Subject.init) }
    let rounds = 41
    let shortRounds = 15
    let bars: BarChart? = nil

    private static let names = [
        "the operation alone", "retry", "retry with a budget and a deadline", "closed circuit",
        "retry through a closed circuit",
    ]

    private static let herds: [(herd: Herd, color: String)] = [
        (Herd(jitter: .none), "#c0392b"), (Herd(jitter: .equal), "#d08000"), (Herd(jitter: .full), "#2060c0"),
        (Herd(jitter: .decorrelated), "#20a060"),
    ]

    func table(_ measurement: Measurement) async -> String {
        let numbers = Herd.series.map { $0.formatted() }.joined(separator: " | ")
        let peaks = Self.herds.map { herd, _ in
            let cells = Herd.series.map { herd.widestPeak(of: $0).formatted() }
            return "| \(name(of: herd)) | \(cells.joined(separator: " | ")) |"
        }
        let what = "The first table shows nanoseconds for an operation that succeeds immediately"
        let lines =
            [Table.introduction("Retries and circuits", what, rounds: rounds), ""]
            + Table.list("an empty operation", Self.names.map { ($0, 1) }, in: measurement) + [""]
            + [
                """
                The second table shows the maximum number of retries per 100 ms in a deterministic simulation. All
                clients fail at the same time, and again at each of four retries. Their delays come from the default
                policy, with the row's jitter.
                """,
                "",
                "| clients | \(numbers) |",
                "| --- |" + String(repeating: " --- |", count: Herd.series.count),
            ] + peaks
        return lines.joined(separator: "\n") + "\n"
    }

    func chart(_ measurement: Measurement) -> Chart {
        Chart(
            title: "The maximum number of retries per 100 ms, if all clients fail at the same time",
            axis: "clients",
            ticks: Herd.series.map(Double.init),
            lines: Self.herds.map { herd, color in
                Chart.Line(
                    name: name(of: herd),
                    color: color,
                    points: Herd.series.map { (Double($0), Double(herd.widestPeak(of: $0))) }
                )
            })
    }

    private func name(of herd: Herd) -> String { herd.jitter == .none ? "no jitter" : "\(herd.jitter) jitter" }
}

/// Simulates clients that fail at the same time and at every retry, and counts how many of them retry together.
struct Herd {
    /// The numbers of clients in the series.
    static let series = [10, 100, 1_000, 10_000]

    /// Retries within this time count as together.
    private static let together = Duration.milliseconds(100)
    private static let retries = 4

    let jitter: Backoff.Jitter

    /// Returns the maximum number of retries per 100 ms with the default policy's delays.
    ///
    /// The result is the same in every run.
    func widestPeak(of clients: Int) -> Int {
        let backoff = Backoff.exponential(jitter: jitter)
        var generator = SplitMix64(state: 13)
        var peaks: [Int: Int] = [:]
        for _ in 0..<clients {
            var (time, last) = (Duration.zero, Duration?.none)
            for retry in 1...Self.retries {
                let delay = backoff.delay(beforeRetry: retry, after: last, using: &generator)
                time += delay
                last = delay
                peaks[Int(time / Self.together), default: 0] += 1
            }
        }
        return peaks.values.max() ?? 0
    }
}

/// Steele, Lea, and Flood's small generator, which produces the same numbers on every machine for the same seed.
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
