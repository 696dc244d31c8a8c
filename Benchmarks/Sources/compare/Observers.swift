import Contenders

/// The cost of a bus with observers or with a flood limit.
enum Observers {
    static var subjects: [Subject] { PostingContender.observed.map(Subject.init) }

    private static let rows: [Table.Row] = [
        ("one observer", [("ErrorBus, one observer", 1)]),
        ("a `reports` stream, unread", [("ErrorBus, one stream of reports, unread", 1)]),
        ("a `reports` stream, including its reader's time", [("ErrorBus, one reader and its own time", 1)]),
        ("a flood limit, not reached", [("ErrorBus, a flood limit", 1)]),
        ("a flood limit that suppresses most errors", [("ErrorBus, suppressed by a flood limit", 1)]),
    ]

    static func table(_ measurement: Measurement) -> [String] {
        Table.costs("`ErrorBus`, eight rules, one caller, plus", ["ns per error"], rows, in: measurement)
    }
}
