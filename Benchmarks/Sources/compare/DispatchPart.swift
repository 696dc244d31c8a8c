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
                "the eighth of ten types matches", ours: ("preset, the eighth of ten types", 10),
                others: [
                    ("switch", ("switch over ten types, the eighth", 10)),
                    ("list of closures", ("list of closures over ten types, the eighth", 10)),
                    ("NotificationCenter", ("NotificationCenter", 1)),
                ]),
            BarChart.Group(
                "the eighth of ten types matches, plus a log call",
                ours: ("preset and a log call, the eighth of ten types", 10),
                others: [
                    ("switch", ("switch over ten types and a log call, the eighth", 10)),
                    ("list of closures", ("list of closures over ten types and a log call, the eighth", 10)),
                ]),
            BarChart.Group(
                "none of ten types matches", ours: ("preset, none of ten types", 10),
                others: [
                    ("switch", ("switch over ten types, none of them", 10)),
                    ("list of closures", ("list of closures over ten types, none of them", 10)),
                ]),
            BarChart.Group(
                "a rule is added for each error", ours: ("a preset with onNoMatch customized and used once", 11),
                others: [
                    ("list of closures", ("a list of closures over ten types, customized and used once", 11))
                ]),
        ])

    var bars: BarChart? { Self.comparison }

    private static let ways = ["preset", "`switch`", "list of closures"]

    private static let types: [Table.Row] = [
        (
            "the eighth of ten types matches",
            [
                ("preset, the eighth of ten types", 10), ("switch over ten types, the eighth", 10),
                ("list of closures over ten types, the eighth", 10),
            ]
        ),
        (
            "the eighth of ten types matches, plus a log call",
            [
                ("preset and a log call, the eighth of ten types", 10),
                ("switch over ten types and a log call, the eighth", 10),
                ("list of closures over ten types and a log call, the eighth", 10),
            ]
        ),
        (
            "none of ten types matches",
            [
                ("preset, none of ten types", 10), ("switch over ten types, none of them", 10),
                ("list of closures over ten types, none of them", 10),
            ]
        ),
    ]

    private static let series = [
        ("type rules", "match by type"), ("type rules, none matches", "miss"),
        ("rules for an enum's values", "match by value"),
        ("rules for codes of one `NSError` domain", "match by NSError"),
        ("rules for different `NSError` domains", "match by domain"),
        ("a superclass rule among type rules", "match by superclass"),
        ("`anywhere` rules, an underlying error matches", "match under an error"),
        ("`ErrorMap` lookup by type", "error map"), ("list of closures that cast", "list of closures"),
        ("predicate rules", "predicates"), ("list of closures with predicates", "list of closures, predicates"),
    ]

    private static let once: [Table.Row] = [
        ("add a type rule to ten", [("a preset customized by a type and used once", 11), nil]),
        ("add a value rule to ten", [("a preset customized by an enum's value and used once", 11), nil]),
        ("add a domain rule to ten", [("a preset customized by a domain and used once", 11), nil]),
        (
            "add a domain rule to ten, but another rule matches",
            [("a preset customized by a domain and used once, for another error", 11), nil]
        ),
        (
            "add a value rule to a preset, but another rule matches",
            [
                ("a preset with onNoMatch customized and used once", 11),
                ("a list of closures over ten types, customized and used once", 11),
            ]
        ),
        ("build ten type rules", [("rules built and used once", 10), ("a list of closures built and used once", 10)]),
        ("build 1,000 value rules, handle no error", [("building 1,000 rules", 1_000), nil]),
    ]

    private static let generic: [Table.Row] = [
        ("the type registered first matches", [("preset, by type", 10), ("list of closures, by type", 10)]),
        ("none of ten types matches", [("preset, miss", 10), ("list of closures, miss", 10)]),
        (
            "match, plus an `always` action that reads the outcome",
            [("preset and logging", 10), ("list of closures and logging", 10)]
        ),
        (
            "match an action that takes the report, plus `always`",
            [("preset and logging, action with report", 11), nil]
        ),
    ]

    private static let single: [Table.Row] = [
        ("`NotificationCenter` with one observer", [("NotificationCenter", 1)]),
        ("only an `always` action", [("always alone", 1)]),
        ("one rule with an asynchronous action", [("asynchronous action", 1)]),
        ("64 rules for generic types, four concurrent tasks", [("four tasks at once", 64)]),
    ]

    /// Returns what the tables show; `ReadmeTests` checks the directions of the comparisons.
    private func conclusion(_ measurement: Measurement) -> String {
        func median(_ name: String, _ number: Int) -> String { Table.median(name, number, in: measurement) }
        return """
            A handler with one type rule handles an error in \(median("match by type", 1)) ns, and with 1,000 in \
            \(median("match by type", 1_000)) ns.
            If the eighth of ten types matches, \
            a [preset](../../Sources/ErrorRouting/ErrorRouting.docc/RulesAndPresets.md) takes \
            \(median("preset, the eighth of ten types", 10)) ns, \
            a `switch` takes \(median("switch over ten types, the eighth", 10)) ns, and a list of closures takes \
            \(median("list of closures over ten types, the eighth", 10)) ns.
            The list is faster for a single predicate (\(median("list of closures, predicates", 1)) ns instead of \
            \(median("predicates", 1)) ns) or if it is rebuilt for each error \
            (\(median("a list of closures built and used once", 10)) ns instead of \
            \(median("rules built and used once", 10)) ns).
            """
    }

    func table(_ measurement: Measurement) async -> String {
        Progress.show("\(name): scaling …")
        let scaling = await Scaling.measureAll(rounds: 15)
        let tasks = scaling.first?.cores ?? 1
        let figures = "Figures (\"–\": not measured) are"
        let notes = [
            Table.logCall,
            "With more than four rules, a handler looks up types, values, and codes instead of comparing them.",
        ]
        let sections: [[String]] = [
            [Table.introduction("Dispatch", conclusion(measurement), figures: figures, rounds: rounds, notes: notes)],
            Table.costs("plain structs (ns per error)", Self.ways, Self.types, in: measurement),
            Table.ratios(Self.comparison, in: measurement),
            Table.series("ns per error, by number of rules", Contender.series, Self.series, in: measurement),
            Table.costs(
                "add or build rules and handle one error (ns)", ["this package", "list of closures"], Self.once,
                in: measurement),
            Table.costs("generic types (ns per error)", ["preset", "list of closures"], Self.generic, in: measurement),
            Table.costs("other cases", ["ns per error"], Self.single, in: measurement),
            Table.heading(
                "throughput growth from one to \(tasks) tasks, 64 rules", ["divided by growth without shared memory"])
                + scaling.map { Table.line($0.name, [Table.ratio($0.relative)]) },
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
                    "this package, type rules", of: "match by type", color: "#2060c0", over: Contender.series,
                    in: measurement),
                Chart.Line(
                    name: "this package, preset", color: "#103070",
                    points: measurement.cost("preset, by type", 10).map { [(10, $0.median)] } ?? []),
            ])
    }
}
