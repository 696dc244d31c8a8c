@testable import ErrorRouting

/// A limiter that receives numbered errors, as a bus's limiter does; times are in milliseconds.
struct Flood {
    enum Answer: Equatable {
        /// `since` is when the oldest of these errors was posted.
        case releases(Int, occurrences: Int, since: Int)
        case passes(Int)
        /// The first error that is held back in a window.
        case holds(Int)
        case suppresses(Int)
    }

    var limiter: FloodLimiter

    init(_ limit: FloodLimit, keeping maximum: Int) {
        limiter = FloodLimiter(limit, keeping: maximum)
    }

    init(first: Int, window: Int, keeping maximum: Int) {
        self.init(FloodLimit(first: first, per: .milliseconds(window)), keeping: maximum)
    }

    /// Releases the errors that must go first, then admits the error.
    mutating func post(_ error: Int, kind: Int, at time: Int) -> [Answer] {
        var answers: [Answer] = []
        let numbered = Numbered(error)
        let source = ErrorReport.Source(fileID: "Module/File.swift", line: UInt(kind))
        let moment = Duration.milliseconds(time)
        let kind = FloodKind(FloodKind.code(of: numbered), at: source, in: [])
        while true {
            switch limiter.admit(kind, at: moment) {
            case .comesAfter(let release):
                answers.append(.init(release))
                continue
            case .passes: answers.append(.passes(error))
            case .holds(let window):
                let posting = Posting(UnboxedError(numbered), at: source, moment: Self.moment(time))
                let former = limiter.hold(posting, in: window)
                answers.append(former.map { .suppresses(Self.number(of: $0)) } ?? .holds(error))
            }
            return answers
        }
    }

    /// Releases a held error whose window has ended; a nil time ends all windows.
    mutating func release(by time: Int?) -> Answer? {
        limiter.removeWindows(endingBy: time.map { .milliseconds($0) }).map { .init($0) }
    }

    mutating func releaseAll() -> [Answer] {
        var answers: [Answer] = []
        while let answer = release(by: nil) { answers.append(answer) }
        return answers
    }

    fileprivate static func number(of posting: Posting) -> Int { (posting.error.error as? Numbered)?.number ?? -1 }

    private static let beginning = Moment().instant

    private static func moment(_ time: Int) -> Moment { .init(beginning + .milliseconds(time)) }

    fileprivate static func time(_ moment: Moment) -> Int {
        Int(beginning.duration(to: moment.instant) / .milliseconds(1))
    }
}

extension NaiveFloodLimiter {
    mutating func post(_ error: Int, kind: Int, at time: Int) -> [Flood.Answer] {
        var answers: [Flood.Answer] = []
        while let release = release(toAdmit: kind, at: time) { answers.append(.init(release)) }
        switch admit(error, kind: kind, at: time) {
        case .passes(let error): answers.append(.passes(error))
        case .isHeld(suppressing: let before?): answers.append(.suppresses(before))
        case .isHeld(suppressing: nil): answers.append(.holds(error))
        }
        return answers
    }

    mutating func releaseAll() -> [Flood.Answer] {
        var answers: [Flood.Answer] = []
        while let release = release(endingBy: nil) { answers.append(.init(release)) }
        return answers
    }
}

extension Flood.Answer {
    init(_ released: Posting) {
        let parts = released.rareParts?.value
        self = .releases(
            Flood.number(of: released), occurrences: parts?.occurrences ?? 1,
            since: Flood.time(parts?.firstMoment ?? released.moment))
    }

    init(_ release: NaiveFloodLimiter.Release) {
        self = .releases(release.held, occurrences: release.occurrences, since: release.since)
    }
}
