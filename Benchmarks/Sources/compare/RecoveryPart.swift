import Contenders
import ErrorRecovery

/// What it costs to be ready to try again, and what jitter does to a herd.
struct RecoveryPart: Part {
    static let name = "recovery"

    var subjects: [Subject] { Contender.recovery.map(Subject.init) }
    let rounds = 41
    let shortRounds = 15
    /// What they cost is no matter of ratios; see ``table(_:)``.
    let goals: [Goal] = []

    private static let names = [
        "the operation alone", "retry", "retry with a budget and a deadline", "closed circuit",
        "retry through a closed circuit",
    ]

    private static let herds: [(herd: Herd, color: String)] = [
        (Herd(jitter: .none), "#c0392b"), (Herd(jitter: .equal), "#d08000"), (Herd(jitter: .full), "#2060c0"),
        (Herd(jitter: .decorrelated), "#20a060"),
    ]

    func table(_ measurement: Measurement) async -> String {
        let limits = Self.names.dropFirst().compactMap { name in
            measurement.cost(name, 1).map { cost in
                Table.goal("\(name), in nanoseconds", cost, bound: "< 1,000", isMet: cost.median < 1_000)
            }
        }
        let numbers = Herd.series.map { $0.formatted() }.joined(separator: " | ")
        let peaks = Self.herds.map { herd, _ in
            let cells = Herd.series.map { herd.widestPeak(of: $0).formatted() }
            return "| \(name(of: herd)) | \(cells.joined(separator: " | ")) |"
        }
        let lines =
            [Table.introduction("Nanoseconds for an operation that succeeds at once", rounds: rounds), ""]
            + Table.list("an operation that does nothing", Self.names.map { ($0, 1) }, in: measurement) + [""]
            + Table.goals(goals, in: measurement) + limits + [""]
            + [
                "The most retries in any 100 ms, of clients that failed at the same moment and do so at every retry, "
                    + "with the delays of the default policy. Simulated: the same on every machine.",
                "",
                "| clients | \(numbers) |",
                "| --- |" + String(repeating: " --- |", count: Herd.series.count),
            ] + peaks
        return lines.joined(separator: "\n") + "\n"
    }

    func chart(_ measurement: Measurement) -> Chart {
        Chart(
            title: "The most retries in any 100 ms, of clients that failed at the same moment",
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
