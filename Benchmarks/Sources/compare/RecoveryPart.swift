import Contenders
import ErrorRecovery

/// The cost of retries and circuits around an operation that succeeds, and the effect of jitter on many clients.
struct RecoveryPart: Part {
    static let name = "recovery"

    var subjects: [Subject] { Contender.recovery.map(Subject.init) }
    let rounds = 41
    let shortRounds = 15
    let bars: BarChart? = nil

    private static let rows: [Table.Row] = [
        ("without a retry policy or circuit", [("the operation alone", 1)]), ("`retry`", [("retry", 1)]),
        ("`retry` with a budget and a deadline", [("retry with a budget and a deadline", 1)]),
        ("closed circuit", [("closed circuit", 1)]),
        ("`retry` with a budget and a deadline, through a closed circuit", [("retry through a closed circuit", 1)]),
    ]

    private static let herds: [(herd: Herd, color: String)] = [
        (Herd(jitter: .none), "#c0392b"), (Herd(jitter: .equal), "#d08000"), (Herd(jitter: .full), "#2060c0"),
        (Herd(jitter: .decorrelated), "#20a060"),
    ]

    /// Returns what the tables show, which the simulation and `bounds.txt` ensure.
    private func conclusion(_ measurement: Measurement) -> String {
        func median(_ name: String) -> String { Table.median(name, 1, in: measurement) }
        func peak(_ jitter: Backoff.Jitter) -> String { Herd(jitter: jitter).widestPeak(of: 10_000).formatted() }
        return """
            For an operation that succeeds, `retry` takes \(median("retry")) ns, and \
            \(median("retry through a closed circuit")) ns with a budget, a deadline, and a circuit.
            If 10,000 clients fail at the same time, all retry in the same 100 ms without jitter, at most \
            \(peak(.full)) with full jitter (the default), and at most \(peak(.decorrelated)) with decorrelated jitter.
            """
    }

    func table(_ measurement: Measurement) async -> String {
        let peaks = Self.herds.map { herd, _ in
            Table.line(name(of: herd), Herd.series.map { herd.widestPeak(of: $0).formatted() })
        }
        let figures = "The first table's figures are"
        let simulation = """
            The second table comes from a deterministic simulation, in which all clients fail at the same time and each
            of their four retries also fails. Delays come from the default policy, with the jitter in the row's name.
            """
        let sections: [[String]] = [
            [Table.introduction("Retries and circuits", conclusion(measurement), figures: figures, rounds: rounds)],
            Table.costs("an empty operation that succeeds", ["ns"], Self.rows, in: measurement),
            [simulation],
            Table.heading("most retries per 100 ms, by number of clients", Herd.series.map { $0.formatted() }) + peaks,
        ]
        return sections.joined(separator: [""]).joined(separator: "\n") + "\n"
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
