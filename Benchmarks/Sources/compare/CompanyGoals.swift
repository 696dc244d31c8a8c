import Contenders

/// What it costs a bus to be observed, or to have a flood limit that never limits anything.
enum CompanyGoals {
    static var subjects: [Subject] { PostingContender.company.map(Subject.init) }

    static let goals = [1, 4].flatMap { posters in
        [("ErrorBus, one observer", 1.3), ("ErrorBus, one reader", 2), ("ErrorBus, a flood limit", 1.5)].map {
            name, bound in
            Goal(
                text: "\(name) over none, \(posters == 1 ? "1 poster" : "\(posters) posters")", first: (name, posters),
                second: ("ErrorBus", posters), bound: bound, isFloor: false)
        }
    }

    static func table(_ measurement: Measurement) -> [String] {
        let figures = PostingContender.company.filter { $0.posters == 1 }.map { ($0.name, 1) }
        return Table.list("one error of many, by one poster", figures, in: measurement)
    }
}
