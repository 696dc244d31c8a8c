import Contenders

/// The cost of one error from its post to its action, over the number of posters.
struct BusPart: Part {
    static let name = "bus"

    var subjects: [Subject] {
        PostingContender.all.map(Subject.init) + IdleContender.all.map(Subject.init)
            + CompanyGoals.subjects + ScopeGoals.subjects
    }
    let rounds = 25
    let shortRounds = 7

    let goals =
        [(1, 13, 16), (4, 10, 12), (8, 10, 12)].map { posters, bound, wish in
            Goal(
                text: "AsyncStream over the bus, \(count(posters))", first: ("AsyncStream", posters),
                second: ("ErrorBus", posters), bound: bound, wish: wish, shortBound: 1, isFloor: true)
        } + [
            Goal(
                text: "the bus: 8 posters over 1", first: ("ErrorBus", 8), second: ("ErrorBus", 1), bound: 1.6,
                shortBound: 6, isFloor: false),
            Goal(
                text: "the bus over AsyncStream, one error while idle", first: ("ErrorBus, idle", 1),
                second: ("AsyncStream, idle", 1), bound: 1.1, isFloor: false),
        ] + CompanyGoals.goals + ScopeGoals.goals

    private static func count(_ posters: Int) -> String { posters == 1 ? "1 poster" : "\(posters) posters" }

    func table(_ measurement: Measurement) async -> String {
        let names = ["ErrorBus", "ErrorBus, two nested scopes", "queue behind a mutex", "AsyncStream", "AsyncChannel"]
        let idle = [("ErrorBus, idle", 1), ("AsyncStream, idle", 1)]
        let lines =
            [Table.introduction("Nanoseconds from post to handled, for one error of many", rounds: rounds), ""]
            + Table.series(names, over: "posters", PostingContender.series, in: measurement) + [""]
            + Table.list("one error, while nothing else is posted", idle, in: measurement) + [""]
            + CompanyGoals.table(measurement) + [""]
            + ScopeGoals.tables(measurement) + [""]
            + Table.goals(goals, in: measurement)
            + ScopeGoals.limits(measurement)
        return lines.joined(separator: "\n") + "\n"
    }

    func chart(_ measurement: Measurement) -> Chart {
        func line(_ label: String, of name: String, _ color: String) -> Chart.Line {
            Chart.Line(label, of: name, color: color, over: PostingContender.series, in: measurement)
        }
        return Chart(
            title: "Nanoseconds from post to handled, for one error, over the number of posters",
            axis: "posters",
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
