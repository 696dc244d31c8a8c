import ErrorRouting
import ErrorRoutingTesting
import Synchronization

/// The state of one run of the stress test, in which its actions and callers act and record what they did.
final class StressStage: Sendable {
    /// An object that lives as long as its error.
    final class Token: Sendable {
        private let stage: StressStage

        init(_ stage: StressStage) {
            self.stage = stage
            stage.alive.wrappingAdd(1, ordering: .relaxed)
        }

        deinit { stage.alive.wrappingSubtract(1, ordering: .relaxed) }
    }

    private struct State {
        var evidence = StressEvidence()
        var hung: [Gate] = []
        var inside = 0
        var isOver = false
        var lastPoster = 1_000
    }

    private let plan: StressPlan
    private let state = Locked(State())
    /// The number of live errors.
    let alive = Atomic(0)
    private let posted = Atomic(0)
    /// Opens when the number of errors that the plan specifies has been posted.
    let endIsDue = Gate()
    private let ended = Atomic(false)

    init(_ plan: StressPlan) { self.plan = plan }

    var evidence: StressEvidence { state.withLock { $0.evidence } }

    func note(_ change: (inout StressEvidence) -> Void) { state.withLock { change(&$0.evidence) } }
    func note(_ report: ErrorReport) { note { $0.delivered.append(.init(report)) } }

    /// Counts one more post of a caller.
    func notePost() {
        if posted.wrappingAdd(1, ordering: .relaxed).newValue == plan.endsAfter { endIsDue.open() }
    }

    /// Whether the end has come, so that callers can stop.
    var hasEnded: Bool {
        get { ended.load(ordering: .relaxed) }
        set { ended.store(newValue, ordering: .relaxed) }
    }

    // MARK: Hanging actions

    /// Releases the hanging actions, permanently if the run is over.
    ///
    /// - Returns: Whether no asynchronous action is left.
    @discardableResult
    func release(forGood: Bool = false) -> Bool {
        let (hung, isEmpty) = state.withLock { state in
            defer { state.hung = [] }
            state.isOver = state.isOver || forGood
            return (state.hung, state.inside == 0)
        }
        for gate in hung { gate.open() }
        return isEmpty
    }

    private func gateToHangAt() -> Gate {
        let gate = Gate()
        let isOver = state.withLock { state in
            state.hung.append(gate)
            return state.isOver
        }
        if isOver { gate.open() }
        return gate
    }

    // MARK: Actions

    /// Returns an error to throw.
    ///
    /// - Parameter isCertain: Whether the error must always be reported; only asynchronous actions can be too late.
    func thrown(isCertain: Bool) -> StressThrown {
        state.withLock { state in
            state.evidence.thrown.append(isCertain)
            return StressThrown(number: state.evidence.thrown.count - 1)
        }
    }

    /// Does what the plan says, as a synchronous action.
    func act(on mark: StressMark) throws -> HandleStrategy {
        guard let bus = ErrorBus.current else { return .stop }
        switch mark.deed {
        case .next: return .next
        case .throwing: throw thrown(isCertain: true)
        case .spin: for _ in 0..<1_000 { _ = alive.load(ordering: .acquiring) }
        case .read: _ = bus.statistics
        case .observe: _ = bus.reports(bufferingNewest: 1)
        case .post: for number in 0..<3 { bus.post(reposted(number), source: .init(line: mark.line)) }
        case .finish: bus.finish()
        default: break
        }
        return .stop
    }

    /// Does what the plan says, as an asynchronous action.
    func actSlowly(on mark: StressMark) async throws -> HandleStrategy {
        state.withLock { $0.inside += 1 }
        defer { state.withLock { $0.inside -= 1 } }
        guard let bus = ErrorBus.current else { return .stop }
        switch mark.deed {
        case .throwing:
            await Task.yield()
            throw thrown(isCertain: false)
        case .yield:
            await Task.yield()
        case .deliver:
            let error = reposted(0)
            let answer = await bus.deliver(error, source: .init(line: mark.line))
            note { $0.answers[error.mark.key] = answer.disposition }
        case .cancelItself:
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        case .hang:
            await gateToHangAt().wait()
            return .next
        case .hangUntilCancelled:
            try await gateToHangAt().waitUnlessCancelled()
        case .shutdown:
            // The shutdown returns an empty array unless the action was abandoned. Then the bus doesn't treat the
            // call as a call from inside the bus.
            let reports = await bus.shutdown(within: plan.shutdownLimit)
            note { $0.returned += reports.map(StressEvidence.Seen.init) }
        default:
            return try act(on: mark)
        }
        return .stop
    }

    /// Returns an error for an action to post, as a separate caller.
    private func reposted(_ number: Int) -> any StressError {
        let key = state.withLock { state in
            state.lastPoster += 1
            state.evidence.posted[Stress.Quick.name, default: 0] += 1
            return StressMark.Key(poster: state.lastPoster, number: number)
        }
        return Stress.Quick(mark: .init(key: key, line: 1, scope: [], deed: .stop, token: Token(self)))
    }
}

extension ErrorPosting {
    fileprivate func post(_ error: any Error, source: ErrorReport.Source) {
        post(error, as: .failure, metadata: [:], source: source)
    }

    fileprivate func deliver(_ error: any Error, source: ErrorReport.Source) async -> HandleOutcome {
        await deliver(error, as: .failure, metadata: [:], source: source)
    }
}
