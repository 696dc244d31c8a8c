import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("Promise 15: a poster that wraps another starts tasks of the inner poster's bus", .tags(.promise15), .hangLimit)
struct WrappedPosterTests {}

extension WrappedPosterTests {
    /// Adds metadata to each post.
    private struct Tagging: ErrorPosting {
        let base: any ErrorPosting

        func post(
            _ error: consuming any Error, as role: ErrorReport.Role, metadata: [String: String],
            source: ErrorReport.Source
        ) {
            base.post(error, as: role, metadata: metadata.merging(["tag": "1"]) { own, _ in own }, source: source)
        }

        func deliver(
            _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
        ) async -> HandleOutcome {
            await base.deliver(error, as: role, metadata: metadata, source: source)
        }

        var wrapped: (any ErrorPosting)? { base }
    }

    private final class Circular: ErrorPosting {
        func post(
            _ error: consuming any Error, as role: ErrorReport.Role, metadata: [String: String],
            source: ErrorReport.Source
        ) {}

        func deliver(
            _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
        ) async -> HandleOutcome { HandleOutcome(disposition: .dropped) }

        var wrapped: (any ErrorPosting)? { self }
    }

    @Test("withErrorBus awaits the task, even through two wrappers and a scope, and its error passes the wrappers")
    func awaited() async {
        let recorded = await withRecordedErrors { bus in
            for base in [bus, bus.scope("scope"), Tagging(base: bus)] as [any ErrorPosting] {
                Tagging(base: base).task {
                    await Task.yield()
                    postError(Numbered(1))
                    throw Numbered(2)
                }
            }
        }
        expect(recorded.matches(of: .value(Numbered(2))).count, equals: 3)
        let thrown = recorded.reports.filter { ($0.error as? Numbered)?.number == 2 }
        #expect(thrown.allSatisfy { $0.metadata == ["tag": "1"] })
        expect(recorded.reports.filter { $0.scope == ["scope"] }.count, equals: 2, "what it posts and what it throws")
    }

    @Test("a body that throws cancels the task")
    func cancelled() async {
        let ended = Gate()
        await #expect(throws: Numbered.self) {
            try await withErrorBus(handler: ErrorHandler()) { bus in
                Tagging(base: bus).task {
                    try? await Gate().waitUnlessCancelled()
                    ended.open()
                }
                throw Numbered(1)
            }
        }
        #expect(ended.isOpen)
    }

    @Test("a wrapper that wraps itself ends the search")
    func circular() async {
        await Circular().task { throw Numbered(1) }.value
    }
}
