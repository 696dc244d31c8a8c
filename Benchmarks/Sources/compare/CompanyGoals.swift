import Contenders

/// What it costs a bus to be observed, or to have a flood limit that never limits anything.
enum CompanyGoals {
    static var subjects: [Subject] { PostingContender.company.map(Subject.init) }

    static let goals = [1, 4].flatMap { posters in
        // A reader takes time of its own, which is none of the bus's: it is a fact, and there is no goal for it.
        [("one observer", 1.3), ("one stream of reports, unread", 2), ("a flood limit", 1.5)].map { company, bound in
            Goal(
                text: "ErrorBus, \(company) over none, \(posters == 1 ? "1 poster" : "\(posters) posters")",
                first: ("ErrorBus, \(company)", posters), second: ("ErrorBus", posters), bound: bound, isFloor: false)
        }
    }

    static func table(_ measurement: Measurement) -> [String] {
        let figures = PostingContender.company.filter { $0.posters == 1 }.map { ($0.name, 1) }
        return Table.list("one error of many, by one poster", figures, in: measurement)
    }
}
