import Contenders

/// The cost of handling one error, over the number of rules.
struct DispatchPart: Part {
    static let name = "dispatch"

    var subjects: [Subject] { Contender.all.map(Subject.init) }
    let rounds = 41
    let shortRounds = 15

    let goals =
        [
            overSwitch("match by type", ("match by type", 64), 0.15, wish: 0.11),
            Goal(
                text: "match by type over a switch's 4th case", first: ("match by type", 64),
                second: ("switch, 4th case", 4), bound: 0.3, wish: 0.22, isFloor: false),
            overSwitch("miss", ("miss", 64), 0.1, wish: 0.08),
            overSwitch("match by value, one rule", ("match by value", 1), 0.22, wish: 0.15),
            overSwitch("match by value, eight rules", ("match by value", 8), 0.35, wish: 0.23),
            overSwitch("match by NSError", ("match by NSError", 8), 0.3, wish: 0.19),
            overSwitch("error map", ("error map", 64), 0.1, wish: 0.06),
            overSwitch("asynchronous action", ("asynchronous action", 1), 0.8, wish: 0.51),
            overSwitch("always alone", ("always alone", 1), 0.43, wish: 0.3),
            Goal(
                text: "a preset of ten, customised and used once, over a list of closures",
                first: ("a preset customised and used once", 11),
                second: ("a list of closures customised and used once", 11), bound: 3, wish: 1.5, isFloor: false),
        ]
        + ["match by type", "miss", "match by NSError", "error map"].map { flat($0) }
        // Up to four values are compared one by one, which costs less than a hash.
        + [flat("match by value", over: 8)]
        + [10, 1_000].map { rules in
            Goal(
                text: "list of closures over dispatch, \(rules.formatted()) rules", first: ("list of closures", rules),
                second: ("match by type", rules), bound: rules == 10 ? 8 : 800, isFloor: true)
        }

    /// Returns a bound on a cost relative to a hand-written switch that matches in the last of its eight cases.
    private static func overSwitch(_ text: String, _ first: (String, Int), _ bound: Double, wish: Double) -> Goal {
        Goal(
            text: "\(text) over a switch's 8th case", first: first, second: ("switch, 8th case", 8), bound: bound,
            wish: wish, isFloor: false)
    }

    private static func flat(_ name: String, over rules: Int = 1) -> Goal {
        let bound = 1.15
        return Goal(
            text: "\(name): 1,000 rules over \(rules)", first: (name, 1_000), second: (name, rules), bound: bound,
            shortBound: bound * 2, isFloor: false)
    }

    func table(_ measurement: Measurement) async -> String {
        Progress.show("\(name): scaling …")
        let scaling = await Scaling.measureAll(rounds: 15)
        let names = [
            "match by type", "miss", "match by value", "match by NSError", "match by superclass",
            "match under an error", "error map", "list of closures", "predicates",
            "list of closures, predicates",
        ]
        let singles = [
            ("eight types, the fourth", 8), ("switch, 4th case", 4), ("eight types, the eighth", 8),
            ("switch, 8th case", 8), ("a preset customised and used once", 11),
            ("a list of closures customised and used once", 11), ("always alone", 1), ("asynchronous action", 1),
            ("a preset with onNoMatch customised and used once", 11),
            ("a preset with onNoMatch customised and used twice", 11), ("rules built and used once", 11),
            ("a list of closures built and used once", 11), ("preset, by type", 10),
            ("list of closures, by type", 10), ("preset, miss", 10), ("list of closures, miss", 10),
            ("preset and logging", 10), ("list of closures and logging", 10),
            ("preset and logging, action with report", 11), ("preset, asynchronous action", 11),
            ("four tasks at once", 64),
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
                return Table.goal(text, scaling.relative, bound: "≥ 0.95", isMet: scaling.relative.median >= 0.95)
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
                Chart.Line("list of closures", color: "#c0392b", over: Contender.series, in: measurement),
                Chart.Line(name: "switch", color: "#7f8c8d", points: switches),
                Chart.Line(
                    "this package, by type", of: "match by type", color: "#2060c0", over: Contender.series,
                    in: measurement),
            ])
    }
}
