import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport

/// A caller that posts in a stress test, in a task or in a thread.
struct StressPoster {
    private let id: Int
    private let plan: StressPlan
    private let stage: StressStage
    private var random: SplitMix64
    private var number = 0
    private var posted: [String: Int] = [:]
    private var answers: [StressMark.Key: HandleOutcome.Disposition] = [:]
    private var postsAfterTheEnd = 0

    init(_ id: Int, _ plan: StressPlan, on stage: StressStage) {
        self.id = id
        self.plan = plan
        self.stage = stage
        random = SplitMix64(seed: plan.seed &* 1_000 &+ UInt64(id))
    }

    /// Posts all its errors without suspending.
    mutating func post(to bus: ErrorBus) {
        let positions = plan.positions(in: bus)
        while let (error, source) = next(positions.map(\.path)) {
            let posting = positions[error.mark.scope.count].posting
            posting.post(error, as: .failure, metadata: [:], source: source)
            stage.notePost()
            if chance(2) { sched_yield() }
        }
        finish()
    }

    /// Posts all its errors and waits for some of the outcomes.
    mutating func postAndDeliver(to bus: ErrorBus) async {
        let positions = plan.positions(in: bus)
        while let (error, source) = next(positions.map(\.path)) {
            let posting = positions[error.mark.scope.count].posting
            if chance(plan.deliverPercent) {
                answers[error.mark.key] = await posting.deliver(error, as: .failure, metadata: [:], source: source)
                    .disposition
            } else {
                posting.post(error, as: .failure, metadata: [:], source: source)
            }
            stage.notePost()
            if chance(5) { await Task.yield() }
        }
        finish()
    }

    private mutating func next(_ paths: [[String]]) -> (error: any StressError, source: ErrorReport.Source)? {
        // Post only a few errors after the end, because each post writes a line to standard error.
        if stage.hasEnded { postsAfterTheEnd += 1 }
        guard number < plan.postsEach, postsAfterTheEnd < 5 else { return nil }
        number += 1
        let type = Stress.types[Int.random(in: Stress.types.indices, using: &random)]
        posted[type.name, default: 0] += 1
        let line = UInt.random(in: 1...UInt(plan.lineCount), using: &random)
        let mark = StressMark(
            key: .init(poster: id, number: number),
            line: line,
            scope: paths[Int.random(in: paths.indices, using: &random)],
            deed: plan.deeds[Int.random(in: plan.deeds.indices, using: &random)],
            token: .init(stage)
        )
        return (type.init(mark: mark), .init(fileID: "Stress/Stress.swift", line: line))
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private func finish() {
        stage.note { [posted, answers] evidence in
            evidence.posted.merge(posted, uniquingKeysWith: +)
            evidence.answers.merge(answers) { first, _ in first }
        }
    }
}

extension StressPlan {
    /// Posts from all tasks and threads and returns when all have posted.
    func post(to bus: ErrorBus, on stage: StressStage) async {
        var gates: [Gate] = []
        for id in 0..<threadCount {
            let gate = Gate()
            gates.append(gate)
            Thread.detachNewThread {
                var poster = StressPoster(100 + id, self, on: stage)
                poster.post(to: bus)
                gate.open()
            }
        }
        await withTaskGroup { group in
            for id in 0..<taskCount {
                group.addTask { @concurrent in
                    var poster = StressPoster(id, self, on: stage)
                    await poster.postAndDeliver(to: bus)
                }
            }
        }
        for gate in gates { await gate.wait() }
        // There might have been fewer posts than the end of the plan requires.
        stage.endIsDue.open()
    }
}
