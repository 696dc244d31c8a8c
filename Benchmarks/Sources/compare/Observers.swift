import Contenders

/// The cost of a bus with observers or with a flood limit.
enum Observers {
    static var subjects: [Subject] { PostingContender.observed.map(Subject.init) }

    static func table(_ measurement: Measurement) -> [String] {
        let figures = PostingContender.observed.filter { $0.callers == 1 }.map { ($0.name, 1) }
        return Table.list("per error, with one caller", figures, in: measurement)
    }
}
