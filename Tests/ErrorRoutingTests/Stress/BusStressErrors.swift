import ErrorRouting

/// The thing that a stress test's action does.
enum StressDeed: CaseIterable {
    case stop, next, throwing, spin, read, observe, post, yield, deliver, cancelItself, hang, hangUntilCancelled
    /// Used only if the plan also ends the bus in another way.
    case finish, shutdown
}

/// The number of an error, and what its actions do.
struct StressMark: Sendable {
    struct Key: Hashable, Sendable, CustomStringConvertible {
        let poster: Int
        let number: Int

        var description: String { "stress \(poster)/\(number)" }
    }

    let key: Key
    /// The line where the error is posted, which is one of a few lines, for a flood limit.
    let line: UInt
    /// The path of scopes where it is posted.
    let scope: [String]
    let deed: StressDeed
    /// Counts the error as long as it lives.
    let token: StressStage.Token
}

/// An error of the stress test.
protocol StressError: Error, CustomStringConvertible {
    var mark: StressMark { get }

    init(mark: StressMark)
}

extension StressError {
    var description: String { "\(mark.key)" }
    static var name: String { String(reflecting: Self.self) }
}

/// The errors of the stress test: one type for each path through the handler.
enum Stress {
    /// An error whose rule is synchronous, and runs while the report is in its slot.
    struct Quick: StressError { let mark: StressMark }
    /// An error whose rule is asynchronous.
    struct Slow: StressError { let mark: StressMark }
    /// An error that matches a rule only by its value, and that rule is asynchronous.
    struct Maybe: StressError { let mark: StressMark }
    struct Ignored: StressError { let mark: StressMark }
    /// An error without a rule.
    struct Stray: StressError { let mark: StressMark }

    static let types: [any StressError.Type] = [
        Quick.self, Slow.self, Maybe.self, Ignored.self, Stray.self,
    ]
}

extension StressPlan {
    /// The targets of posts: the bus, and nested scopes with rules that have no effect.
    func positions(in bus: ErrorBus) -> [(posting: any ErrorPosting, path: [String])] {
        let handler = ErrorHandler()
            .on(Stress.Quick.self) { _ in .next }
            .on(Stress.Slow.self) { _ in
                await Task.yield()
                return .next
            }
        var scopes: [ErrorScope] = []
        for depth in 0..<scopeCount {
            let order = depth % 2 == 0 ? ErrorScope.Order.innermostFirst : .rootFirst
            // Every other scope has no rules.
            let rules = depth % 2 == 0 ? handler : .init()
            let scope = scopes.last?.scope("\(depth)", handler: rules, order: order)
            scopes.append(scope ?? bus.scope("\(depth)", handler: rules, order: order))
        }
        return [(bus, [])] + scopes.map { ($0, $0.path) }
    }
}

/// The error that an action of the stress test throws.
struct StressThrown: Error, CustomStringConvertible {
    let number: Int

    var description: String { "thrown \(number)." }
}

extension ErrorHandler {
    /// The rules of a stress test.
    ///
    /// - Parameters:
    ///   - stage: The state in which the actions record what they did.
    ///   - plan: The plan of the run.
    static func stress(on stage: StressStage, _ plan: StressPlan) -> ErrorHandler {
        var handler = ErrorHandler()
            .ignore(Stress.Ignored.self)
            .on(Stress.Quick.self) { error in try stage.act(on: error.mark) }
            .on(Stress.Slow.self) { error in try await stage.actSlowly(on: error.mark) }
            .on(matching: .type(Stress.Maybe.self).where { $0.mark.key.number % 3 == 0 }) { error in
                try await stage.actSlowly(on: error.mark)
            }
            .on(matching: .type(Stress.Maybe.self).where { $0.mark.key.number % 3 == 1 }) { error in
                try stage.act(on: error.mark)
            }
        if plan.failuresFail {
            handler = handler.on(ActionFailure.self) { _ in throw stage.thrown(isCertain: true) }
        }
        // Without an observer as the witness, a rule is the witness.
        guard !plan.isWitnessed else { return handler }
        return handler.always { _, report in
            stage.note(report)
            return .next
        }
    }
}
