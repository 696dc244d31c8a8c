import Contenders

/// The cost of one error from its post to its action, by the number of posting tasks.
struct BusPart: Part {
    static let name = "bus"

    var subjects: [Subject] {
        PostingContender.all.map(Subject.init) + IdleContender.all.map(Subject.init)
            + Observers.subjects + Scopes.subjects
    }
    let rounds = 25
    let shortRounds = 7

    private static let comparison = BarChart(
        title: "From post to handled, by a preset with ten rules",
        groups: [1, 4].flatMap { callers in
            let who = callers == 1 ? "1 caller" : "\(callers) callers"
            return [
                BarChart.Group(
                    who, ours: ("ErrorBus, preset of ten rules", callers),
                    others: [
                        ("a queue behind a mutex", ("queue behind a mutex", callers)),
                        ("AsyncStream", ("AsyncStream", callers)), ("AsyncChannel", ("AsyncChannel", callers)),
                    ]),
                BarChart.Group(
                    "\(who), and a log call with metadata", ours: ("ErrorBus, preset and a log call", callers),
                    others: [("a queue behind a mutex", ("queue behind a mutex and a log call", callers))]),
            ]
        })

    var bars: BarChart? { Self.comparison }

    func table(_ measurement: Measurement) async -> String {
        let names = [
            "ErrorBus, preset of ten rules", "ErrorBus", "ErrorBus, two nested scopes", "queue behind a mutex",
            "AsyncStream", "AsyncChannel", "ErrorBus, preset and a log call", "queue behind a mutex and a log call",
        ]
        let idle = [("ErrorBus, idle", 1), ("AsyncStream, idle", 1)]
        let what =
            "Unless a table says otherwise, figures are nanoseconds per error, "
            + "from the first post until the last error is handled"
        let notes = """
            - "One reader and its own time": a task reads `reports`; its time is included.
            - "A scope for each": each error has its own scope. "With one rule": the scopes share a one-rule handler.
            - "And its rule": each scope has its own one-rule handler.
            - "Below 1,000 rules": the scopes' bus has 1,000 rules instead of eight.
            """
        let lines =
            [Table.introduction("From post to handled", what, rounds: rounds), "", notes, ""]
            + Table.series(names, over: "callers", PostingContender.series, in: measurement) + [""]
            + Table.list("one error, while idle", idle, in: measurement) + [""]
            + Observers.table(measurement) + [""]
            + Scopes.tables(measurement) + [""]
            + (await Tails.table()) + [""]
            + Table.ratios(Self.comparison, in: measurement)
        return lines.joined(separator: "\n") + "\n"
    }

    func chart(_ measurement: Measurement) -> Chart {
        func line(_ label: String, of name: String, _ color: String) -> Chart.Line {
            Chart.Line(label, of: name, color: color, over: PostingContender.series, in: measurement)
        }
        return Chart(
            title: "Nanoseconds from post to handled, for one error, over the number of callers",
            axis: "callers",
            ticks: PostingContender.series.map(Double.init),
            lines: [
                line("AsyncChannel", of: "AsyncChannel", "#c0392b"),
                line("AsyncStream", of: "AsyncStream", "#d08000"),
                line("queue behind a mutex", of: "queue behind a mutex", "#7f8c8d"),
                line("through two nested scopes", of: "ErrorBus, two nested scopes", "#20a060"),
                line("this package's bus", of: "ErrorBus", "#2060c0"),
            ])
    }
}
