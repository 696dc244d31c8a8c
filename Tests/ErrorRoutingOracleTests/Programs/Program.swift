import ErrorRouting
import TestSupport

/// An error of a random program.
struct Posted: Error, Hashable {
    /// What the rules do with the error.
    enum Fate: Int, CaseIterable {
        case stops, continues, throwsError, isIgnored, isUnmatched, postsAnother
        case suspends, suspendsAndThrows, cancelsItself, hangs
    }

    let poster: Int
    let number: Int
    let fate: Fate
}

/// A random program around one bus: the same for the same seed, except for the order in which its tasks run.
struct Program {
    enum Step {
        case post(Posted.Fate), postInScope(Posted.Fate), deliver(Posted.Fate), flush, yield
    }

    /// How the bus ends.
    enum End: CaseIterable {
        case finish, shutdownNow, shutdownSoon, cancelRun
    }

    let seed: Int
    let capacity: Int
    let floodLimit: FloodLimit?
    let actionTimeLimit: Duration
    let posters: [[Step]]
    let end: End
    /// The number of steps after which the end comes, while other tasks are still posting.
    let stepsBeforeEnd: Int
    /// Whether the bus runs from the beginning or only from its end.
    let runsEarly: Bool

    init(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        self.seed = seed
        capacity = [1, 2, 8, 1_000].randomElement(using: &random) ?? 1
        floodLimit =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: FloodLimit(first: 1, per: .microseconds(200))
            case 1: FloodLimit(first: 2, per: .seconds(600))
            default: nil
            }
        actionTimeLimit = Bool.random(using: &random) ? .milliseconds(1) : .seconds(600)
        // An action that hangs needs a time limit, because otherwise it would never end.
        let mayHang = actionTimeLimit < .seconds(1)
        let fates = Posted.Fate.allCases.filter { $0 != .hangs }
        func fate() -> Posted.Fate {
            if mayHang && Int.random(in: 0..<40, using: &random) == 0 { return .hangs }
            return fates.randomElement(using: &random) ?? .stops
        }
        func step() -> Step {
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<6: .post(fate())
            case 6..<8: .postInScope(fate())
            case 8: .deliver(fate())
            case 9: .flush
            default: .yield
            }
        }
        posters = (0..<Int.random(in: 1...4, using: &random)).map { _ in
            (0..<Int.random(in: 1...25, using: &random)).map { _ in step() }
        }
        end = End.allCases.randomElement(using: &random) ?? .finish
        stepsBeforeEnd = Int.random(in: 0...posters.reduce(0) { $0 + $1.count }, using: &random)
        runsEarly = Int.random(in: 0..<4, using: &random) > 0
    }
}

extension Program {
    /// The rules: each fate has one rule or none.
    static func rules(_ post: @escaping @Sendable (Posted) -> Void) -> ErrorHandler {
        func having(_ fate: Posted.Fate) -> ErrorMatcher<Posted> { .type(Posted.self).where { $0.fate == fate } }
        return ErrorHandler()
            .ignore(ActionFailure.self)
            .on(matching: having(.stops)) { _ in .stop }
            .on(matching: having(.continues)) { _ in .next }
            .on(matching: having(.throwsError)) { _ in throw Stray() }
            .ignore(matching: having(.isIgnored))
            .on(matching: having(.postsAnother)) { error in
                post(error)
                return .stop
            }
            .on(matching: having(.suspends)) { _ in
                await Task.yield()
                return .stop
            }
            .on(matching: having(.suspendsAndThrows)) { _ in
                await Task.yield()
                throw Stray()
            }
            .on(matching: having(.cancelsItself)) { _ in
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                await Task.yield()
                return .stop
            }
            .on(matching: having(.hangs)) { _ in
                await eventually("a shutdown or the time limit cancels the hanging action") { Task.isCancelled }
                return .stop
            }
    }
}

extension Posted.Fate {
    /// The disposition of a delivered report.
    var disposition: HandleOutcome.Disposition {
        switch self {
        case .isIgnored: .ignored
        case .isUnmatched: .unmatched
        default: .handled
        }
    }

    var fails: Bool { self == .throwsError || self == .suspendsAndThrows }
}
