import ErrorRecovery
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

// Import the internal check that statistics add up.
@testable import ErrorPresentation
@testable import ErrorRouting

/// Checks where several modules meet: which errors are posted, shown, counted, and retried, and how often.
///
/// Programs have operations in random layers: retries, circuits, and a client with its own retries. Each operation ends
/// with code that swallows its error: `catching`, `task`, a loader, or a presenter. They run on two buses with scopes;
/// the second bus has a flood limit. `ERROR_BUS_LONG=1` runs a hundred times as many.
@MainActor
@Suite("Modules that are used together keep the promises that each of them keeps alone", .hangLimit)
struct CombinationTests {}

extension CombinationTests {
    nonisolated private static let count = isLong ? 10_000 : 100

    @Test("random programs agree with a plain model of the promises")
    func programs() async throws {
        for seed in 0..<UInt64(Self.count) {
            var random = SplitMix64(seed: seed)
            var model = Model()
            let stage = Stage()
            let reports = stage.buses.map { $0.reports(bufferingNewest: .max) }
            let running = stage.buses.map { bus in Task { await bus.run() } }
            for number in 0..<30 {
                let event = Event.random(&random)
                model.take(event)
                await stage.take(event)
                var context: Comment { "seed \(seed), event \(number): \(event)" }
                try #require(stage.attempts == model.attempts, context)
                try #require(stage.circuits.map(\.state.rawValue) == model.circuits.map(\.name), context)
            }
            for bus in stage.buses { bus.finish() }
            for task in running { await task.value }
            let seen = [await reports[0].collected(), await reports[1].collected()]
            try #require(seen[0].map(Model.Post.init) == model.posts[0], "seed \(seed)")
            checkFlood(seen[1], model.posts[1], "seed \(seed)")
            checkMarks(seen[0] + seen[1], "seed \(seed)")
            for (bus, posts) in zip(stage.buses, model.posts) {
                #expect(bus.statistics.isBalanced, "seed \(seed)")
                expect(bus.statistics.posted, equals: posts.count, "seed \(seed)")
            }
            let shown = stage.presenter.statistics
            expect(shown.shown + shown.waiting + shown.merged, equals: model.presented, "seed \(seed): \(shown)")
        }
    }

    /// The first reports of each kind are delivered unchanged.
    ///
    /// One report represents all later reports of the kind.
    ///
    /// Notices are delivered one by one, except notices of cancellations.
    private func checkFlood(_ seen: [ErrorReport], _ posts: [Model.Post], _ context: Comment) {
        func isAnnouncement(_ post: Model.Post) -> Bool {
            post.role == "notice" && post.error != Model.Failure.cancelled.rawValue
        }
        expect(seen.map(Model.Post.init).filter(isAnnouncement), equals: posts.filter(isAnnouncement), context)
        let others = seen.filter { !isAnnouncement(.init($0)) }
        expect(others.reduce(0) { $0 + $1.occurrences }, equals: posts.count { !isAnnouncement($0) }, context)
        for (kind, reports) in Dictionary(grouping: others, by: { "\($0.role) \($0.typeName) \($0.scope)" }) {
            let total = reports.reduce(0) { $0 + $1.occurrences }
            expect(reports.count, equals: min(total, Stage.passing + 1), "\(kind), \(context)")
            #expect(reports.dropLast().allSatisfy { $0.occurrences == 1 }, "\(kind), \(context)")
        }
    }

    /// Attempts have their numbers, and no notice or attempt is ever marked as shown.
    private func checkMarks(_ reports: [ErrorReport], _ context: Comment) {
        for report in reports where report.role == .attempt {
            let number = report.metadata["retry.attempt"].flatMap { Int($0) } ?? 0
            let limit = report.metadata["retry.of"].flatMap { Int($0) } ?? 0
            #expect((1..<max(limit, 1)).contains(number), context)
        }
    }
}

extension Model.Circuit {
    /// The state's name, as the circuit writes it.
    var name: String {
        switch self {
        case .closed: "closed"
        case .open: "open"
        case .halfOpen: "halfOpen"
        }
    }
}

extension AsyncStream where Element: Sendable {
    /// Returns all remaining elements.
    func collected() async -> [Element] {
        var elements: [Element] = []
        for await element in self { elements.append(element) }
        return elements
    }
}
