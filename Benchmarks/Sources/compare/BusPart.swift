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
                        ("queue behind a mutex", ("queue behind a mutex", callers)),
                        ("AsyncStream", ("AsyncStream", callers)), ("AsyncChannel", ("AsyncChannel", callers)),
                    ]),
                BarChart.Group(
                    "\(who), plus a log call", ours: ("ErrorBus, preset and a log call", callers),
                    others: [("queue behind a mutex", ("queue behind a mutex and a log call", callers))]),
            ]
        })

    var bars: BarChart? { Self.comparison }

    private static let series = [
        ("`ErrorBus`, preset with ten rules", "ErrorBus, preset of ten rules"),
        ("`ErrorBus`, eight rules", "ErrorBus"),
        ("`ErrorBus`, eight rules and two nested scopes", "ErrorBus, two nested scopes"),
        ("queue behind a mutex", "queue behind a mutex"),
        ("`AsyncStream`", "AsyncStream"), ("`AsyncChannel`", "AsyncChannel"),
        ("`ErrorBus`, preset with ten rules, plus a log call", "ErrorBus, preset and a log call"),
        ("queue behind a mutex, plus a log call", "queue behind a mutex and a log call"),
    ]

    /// Returns what the tables show; `ReadmeTests` checks the directions of the comparisons.
    private func conclusion(_ measurement: Measurement, _ tails: Tails) -> String {
        func median(_ name: String, _ callers: Int) -> String { Table.median(name, callers, in: measurement) }
        let queue = "queue behind a mutex"
        let logged = (bus: "ErrorBus, preset and a log call", queue: "queue behind a mutex and a log call")
        return """
            With eight callers, the bus takes \(median("ErrorBus", 8)) ns per error, a queue behind a mutex takes \
            \(median(queue, 8)) ns, and an `AsyncStream` takes \(median("AsyncStream", 8)) ns.
            The queue is faster with one caller (\(median(queue, 1)) ns instead of \(median("ErrorBus", 1)) ns) or if \
            each error is also logged (with eight callers, \(median(logged.queue, 8)) ns instead of \
            \(median(logged.bus, 8)) ns).
            But while eight threads post, the p99 of a post is \(tails.p99(queue, 8)) µs for the queue and \
            \(tails.p99("ErrorBus", 8)) µs for the bus.
            """
    }

    func table(_ measurement: Measurement) async -> String {
        let tails = await Tails.measure()
        let figures =
            "\"ns per error\" is the time from the first post until the last error is handled, divided by the number "
            + "of errors.\nFigures (\"–\": not measured) are"
        let introduction = Table.introduction(
            "Time from posting an error to handling it", conclusion(measurement, tails), figures: figures,
            rounds: rounds, notes: [Table.logCall])
        let idle = [Table.Row("`ErrorBus`", [("ErrorBus, idle", 1)]), ("`AsyncStream`", [("AsyncStream, idle", 1)])]
        let sections: [[String]] = [
            [introduction],
            Table.series(
                "ns per error, by number of callers (tasks)", PostingContender.series, Self.series, in: measurement),
            Table.ratios(Self.comparison, in: measurement),
            tails.table,
            Table.costs(
                "one error, posted while the worker sleeps", ["ns until its action runs"], idle, in: measurement),
            Observers.table(measurement),
            Scopes.tables(measurement),
        ]
        return sections.joined(separator: [""]).joined(separator: "\n") + "\n"
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
