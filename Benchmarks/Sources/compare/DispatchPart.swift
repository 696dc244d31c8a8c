import Contenders

/// The cost of handling one error, by the number of rules.
struct DispatchPart: Part {
    static let name = "dispatch"

    var subjects: [Subject] { Contender.all.map(Subject.init) }
    let rounds = 41
    let shortRounds = 15

    /// Typical applications, next to hand-written code with the same effect.
    private static let comparison = BarChart(
        title: "One error, handled by a preset with ten rules",
        groups: [
            BarChart.Group(
                "an error with a rule", ours: ("preset, the eighth of ten types", 10),
                others: [
                    ("a switch, 8th of ten cases", ("switch over ten types, the eighth", 10)),
                    ("a list of ten closures, the 8th called", ("list of closures over ten types, the eighth", 10)),
                    ("NotificationCenter", ("NotificationCenter", 1)),
                ]),
            BarChart.Group(
                "the same, and a log call with metadata", ours: ("preset and a log call, the eighth of ten types", 10),
                others: [
                    ("a switch, 8th of ten cases", ("switch over ten types and a log call, the eighth", 10)),
                    (
                        "a list of ten closures, the 8th called",
                        ("list of closures over ten types and a log call, the eighth", 10)
                    ),
                ]),
            BarChart.Group(
                "an error without a rule", ours: ("preset, none of ten types", 10),
                others: [
                    ("a switch over ten cases", ("switch over ten types, none of them", 10)),
                    ("a list of ten closures", ("list of closures over ten types, none of them", 10)),
                ]),
            BarChart.Group(
                "one rule added for one error", ours: ("a preset with onNoMatch customized and used once", 11),
                others: [
                    ("a list of ten closures", ("a list of closures over ten types, customized and used once", 11))
                ]),
        ])

    var bars: BarChart? { Self.comparison }

    func table(_ measurement: Measurement) async -> String {
        Progress.show("\(name): scaling …")
        let scaling = await Scaling.measureAll(rounds: 15)
        let throughput = scaling.map { Table.line("\($0.name), \($0.cores) tasks", $0.relative) }
        let names = [
            "match by type", "miss", "match by value", "match by NSError", "match by domain", "match by superclass",
            "match under an error", "error map", "list of closures", "predicates", "list of closures, predicates",
        ]
        let plain = [
            ("preset, the eighth of ten types", 10), ("switch over ten types, the eighth", 10),
            ("list of closures over ten types, the eighth", 10), ("preset, none of ten types", 10),
            ("switch over ten types, none of them", 10), ("list of closures over ten types, none of them", 10),
            ("preset and a log call, the eighth of ten types", 10),
            ("switch over ten types and a log call, the eighth", 10),
            ("list of closures over ten types and a log call, the eighth", 10),
            ("NotificationCenter", 1), ("always alone", 1), ("asynchronous action", 1),
        ]
        let generic = [
            ("preset, by type", 10), ("list of closures, by type", 10), ("preset, miss", 10),
            ("list of closures, miss", 10), ("preset and logging", 10),
            ("preset and logging, action with report", 11), ("list of closures and logging", 10),
            ("four tasks at once", 64),
        ]
        let once = [
            ("a list of closures over ten types, customized and used once", 11),
            ("a preset customized by a type and used once", 11),
            ("a preset customized by an enum's value and used once", 11),
            ("a preset customized by a domain and used once", 11),
            ("a preset customized by a domain and used once, for another error", 11),
            ("a preset with onNoMatch customized and used once", 11),
            ("rules built and used once", 10), ("a list of closures built and used once", 10),
            ("building 1,000 rules", 1_000),
        ]
        let notes = """
            - "NSError": rules for codes of one domain. "Domain": each rule has its own domain.
            - "Under an error": an `anywhere` rule matches an underlying error. "Miss": no rule matches.
            - "Preset": ten rules, an `ignore` rule for cancellations, and an `onNoMatch` action.
            - "Customized": one rule is added to ten rules, or to a preset if the row names `onNoMatch`.
            - "Log call": an `always` action passes metadata to a function that discards it.
            - "Logging": an `always` action reads the outcome.
            - "The eighth": the eighth `case`, or the eighth closure called, matches.
            """
        let what = "This page shows how many nanoseconds handling one error takes"
        let sections: [[String]] = [
            [Table.introduction("Dispatch", what, rounds: rounds)],
            [notes],
            Table.series(names, over: "rules", Contender.series, in: measurement),
            Table.list("plain structs", plain, in: measurement),
            Table.list("generic error types", generic, in: measurement),
            Table.list("including adding or building rules", once, in: measurement),
            Table.ratios(Self.comparison, in: measurement),
            ["| throughput growth with more tasks, relative to code without shared memory | |", "| --- | --- |"]
                + throughput,
        ]
        return sections.joined(separator: [""]).joined(separator: "\n") + "\n"
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
                    "by type, no fallbacks", of: "match by type", color: "#2060c0", over: Contender.series,
                    in: measurement),
                Chart.Line(
                    name: "this package, preset", color: "#103070",
                    points: measurement.cost("preset, by type", 10).map { [(10, $0.median)] } ?? []),
            ])
    }
}
