import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "Promise 17: cancellations that nobody requested are notices, and a task that a limit cuts off is posted",
    .tags(.promise17), .hangLimit)
struct CutOffTests {}

extension CutOffTests {
    /// A task that was cut off, as one string.
    ///
    /// Other errors are shown by their label and role.
    private static func entries(_ stage: Stage) -> [String] {
        stage.seen.entries.map { report in
            guard let cutOff = report.error as? TaskCutOff else { return "\(report.label) \(report.role)" }
            #expect(cutOff.source == report.source)
            let cause = cutOff.underlyingErrors.first.map { "\(type(of: $0))" } ?? "nothing"
            return "\(cutOff.name ?? "-") after \(cutOff.limit) by \(cause)"
        }
    }

    @Test("no cancellation is posted in a cancelled task, but it is a notice in any other; other errors are failures")
    func cancellations() async {
        let stage = Stage()
        await stage.running {
            let cancelled = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                stage.bus.catching { throw CancellationError() }
                _ = try? await stage.bus.rethrowing { () async throws in throw CancellationError() }
                stage.bus.catching { throw Mishap(1) }
            }
            await cancelled.value
            stage.bus.catching { throw CancellationError() }
            await stage.bus.task { throw CancellationError() }.value
            await stage.bus.task { throw Mishap(2) }.value
            let owned = stage.bus.task { try await Gate().waitUnlessCancelled() }
            owned.cancel()
            await owned.value
        }
        expect(
            Self.entries(stage),
            equals: ["1 failure", "CancellationError notice", "CancellationError notice", "2 failure"])
        stage.expectLaws()
    }

    @Test("an error that a task throws after the limit has cancelled it is posted as cut off, which wraps the error")
    func throwsAfterTheLimit() async {
        let stage = Stage()
        await stage.running {
            stage.bus.task(name: "mail") { try await Gate().waitUnlessCancelled() }
            stage.bus.task(name: "quiet") { try? await Gate().waitUnlessCancelled() }
            async let haveEnded = stage.bus.cancelTasks(after: .seconds(3))
            await stage.clock.waitForSleepers()
            expect(stage.bus.counts.posted, equals: 0)
            stage.clock.advance(by: .seconds(3))
            expect(await haveEnded, equals: true)
            // Tasks that start after the limit are cancelled too.
            await stage.bus.task { throw Mishap(1) }.value
        }
        expect(
            Self.entries(stage),
            equals: ["mail after 3.0 seconds by CancellationError", "- after 3.0 seconds by Mishap"])
        stage.expectLaws()
    }

    @Test("a task that ignores its cancellation is posted once, without an error; its later error is one line")
    func neverEnds() async {
        let (stage, leave) = (Stage(), Gate())
        let task = stage.bus.scope("mail").task(name: "mail") {
            await leave.wait()
            throw Mishap(1)
        }
        await stage.running {
            for _ in 1...2 {
                expect(await stage.bus.cancelTasks(after: .zero, waitingUpTo: .zero), equals: false)
            }
        }
        expect(Self.entries(stage), equals: ["mail after 0.0 seconds by nothing"])
        expect(stage.seen.entries.map(\.scope), equals: [["mail"]])
        let counts = stage.bus.counts
        leave.open()
        await task.value
        expect(stage.lines.entries.labels, equals: ["1"])
        expect(stage.bus.counts, equals: counts)
        stage.expectLaws()
    }

    @Test("tasks that throw just as the bus stops waiting are each posted once, or posted and written as one line")
    func race() async {
        for _ in 0..<40 {
            let stage = Stage(isTimed: false)
            await stage.running {
                let tasks = (0..<6).map { number in
                    stage.bus.task(name: "\(number)") {
                        await eventually("the bus cancels task \(number)") { Task.isCancelled }
                        throw Mishap(number)
                    }
                }
                await stage.bus.cancelTasks(after: .zero, waitingUpTo: .zero)
                for task in tasks { await task.value }
            }
            let cutOffs = stage.seen.entries.compactMap { $0.error as? TaskCutOff }
            expect(cutOffs.compactMap(\.name).sorted(), equals: (0..<6).map { "\($0)" })
            // Each task that was posted without an error has a line with the error.
            let late = cutOffs.filter(\.underlyingErrors.isEmpty).compactMap(\.name)
            expect(stage.lines.entries.labels.sorted(), equals: late.sorted())
            stage.expectLaws()
        }
    }
}
