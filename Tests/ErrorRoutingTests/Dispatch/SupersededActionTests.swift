import Synchronization
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Behaviours 16, 18 and 25: what an action throws while its report is taken away is reported once",
    .tags(.behaviour16, .behaviour18, .behaviour25))
struct SupersededActionTests {}

extension SupersededActionTests {
    @Test("the worker reports it if it came in time; else the time limit has reported it")
    func failures() async {
        let handler = ErrorHandler()
            .on(Numbered.self) { _ in
                await Task.yield()
                throw Numbered(2)
            }
            .on(Numbered.self) { _ in throw Numbered(1) }
        for cameInTime in [true, false] {
            let supervisor = TakingSupervisor(cameInTime: cameInTime)
            let rules = handler.rules.reference
            var walk = unsafe DispatchWalk(rules.program, on: nil, Numbered(0), from: DispatchProgress())
            let pending = PendingReport(Posting(Numbered(0), at: .init()))
            let end = await walk.finish(LazyReport(pending), under: supervisor)
            withExtendedLifetime(pending) {}
            withExtendedLifetime(handler) {}
            guard case .superseded(let known) = end else {
                Issue.record("it was not taken away")
                continue
            }
            expect(walk.progress.failures.map { ($0.error as? Numbered)?.number }, equals: [1, 2])
            expect(known, equals: (cameInTime ? 0 : 2))
        }
    }
}

/// A supervisor that takes the report away as soon as an asynchronous action has ended, or before that.
private final class TakingSupervisor: ActionSupervisor {
    private let cameInTime: Bool
    private let isTaken = Atomic(false)

    init(cameInTime: Bool) { self.cameInTime = cameInTime }

    func supervising<Result>(
        _ report: ErrorReport,
        _ operation: () async throws -> Result
    ) async rethrows -> Result {
        try await operation()
    }

    func actionWillBegin(_ action: SupervisedAction) -> Bool { true }

    func actionDidEnd() -> Bool {
        isTaken.store(true, ordering: .releasing)
        return cameInTime
    }

    var isCurrent: Bool { !isTaken.load(ordering: .acquiring) }
    var isTaskCancelled: Bool { false }
}
