import Contenders

/// What it costs to handle one error, over the number of rules.
struct DispatchPart: Part {
    static let name = "dispatch"

    var subjects: [Subject] { Contender.all.map(Subject.init) }
    let rounds = 41
    let shortRounds = 15

    let goals = [
        flat("match by type", 1.2),
        flat("miss", 1.2),
        flat("match by value", 1.3),
        flat("match by NSError", 1.5),
        flat("error map", 1.2),
        Goal(
            text: "dispatch over a switch that matches in its 4th case", first: ("eight types, the fourth", 8),
            second: ("switch, 4th case", 4), bound: 0.9, isFloor: false),
        Goal(
            text: "dispatch over a switch that matches in its 8th case", first: ("eight types, the eighth", 8),
            second: ("switch, 8th case", 8), bound: 0.5, isFloor: false),
        Goal(
            text: "linear list over dispatch, 10 rules", first: ("linear list", 10), second: ("match by type", 10),
            bound: 8, isFloor: true),
        Goal(
            text: "linear list over dispatch, 1,000 rules", first: ("linear list", 1_000),
            second: ("match by type", 1_000), bound: 800, isFloor: true),
    ]

    private static func flat(_ name: String, _ bound: Double) -> Goal {
        Goal(
            text: "\(name): 1,000 rules over 1", first: (name, 1_000), second: (name, 1), bound: bound,
            shortBound: bound * 2, isFloor: false)
    }

    func table(_ measurement: Measurement) async -> String {
        Progress.show("\(name): scaling …")
        let scaling = await Scaling.takeAll(rounds: 15)
        let names = [
            "match by type", "miss", "match by value", "match by NSError", "match by superclass",
            "match under an error", "error map", "linear list",
        ]
        let singles = [
            ("eight types, the fourth", 8), ("switch, 4th case", 4), ("eight types, the eighth", 8),
            ("switch, 8th case", 8), ("always alone", 1), ("asynchronous action", 1), ("four tasks at once", 64),
            ("NotificationCenter", 1), ("building 1,000 rules", 1_000),
        ]
        let lines =
            [Table.introduction("Nanoseconds for one error", rounds: rounds), ""]
            + Table.series(names, over: "rules", Contender.series, in: measurement) + [""]
            + Table.list("beside them", singles, in: measurement) + [""]
            + Table.goals(goals, in: measurement)
            + scaling.map { scaling in
                let text =
                    "\(scaling.name): throughput of \(scaling.cores) tasks over 1, relative to a control that shares "
                    + "nothing"
                return Table.goal(text, scaling.relative, bound: "≥ 0.9", isMet: scaling.relative.median >= 0.9)
            }
        return lines.joined(separator: "\n") + "\n"
    }

    func chart(_ measurement: Measurement) -> Chart {
        let switches = [("switch, 4th case", 4), ("switch, 8th case", 8)].compactMap { name, rules in
            measurement.cost(name, rules).map { (Double(rules), $0.median) }
        }
        return Chart(
            title: "Nanoseconds to handle one error, over the number of rules",
            axis: "rules",
            ticks: [1, 10, 100, 1_000],
            lines: [
                Chart.Line("linear list", color: "#c0392b", over: Contender.series, in: measurement),
                Chart.Line(name: "switch", color: "#7f8c8d", points: switches),
                Chart.Line(
                    "this package, by type", of: "match by type", color: "#2060c0", over: Contender.series,
                    in: measurement),
            ])
    }
}
