import ErrorRouting
import ErrorRoutingTesting
import Foundation
import Synchronization
import TestSupport
import Testing

/// The context of a post, such as the trace of a request.
private enum Request {
    @TaskLocal static var id = "none"
}

@Suite("A report's metadata comes from its scopes, then the provider, then the post", .hangLimit)
struct MetadataTests {
    private let requestID: ErrorBus.Configuration = .init(metadataProvider: { _ in ["request": Request.id] })

    private func metadata(_ recorded: RecordedErrors) -> [[String: String]] { recorded.reports.map(\.metadata) }
}

extension MetadataTests {
    @Test("scopes inherit and override from the outside in, and the post overrides all of them")
    func inheritance() async {
        let recorded = await withRecordedErrors { bus in
            let outer = bus.scope("outer", metadata: ["a": "outer", "b": "outer", "c": "outer"])
            let inner = outer.scope("inner", metadata: ["b": "inner", "c": "inner"])
            bus.post(Numbered(1))
            outer.post(Numbered(2))
            inner.post(Numbered(3))
            inner.post(Numbered(4), metadata: ["c": "poster", "d": "poster"])
            inner.scope("innermost").post(Numbered(5))
            await inner.bound {
                await AmbientErrorPosting.ambient.task(metadata: ["c": "task"]) { throw Numbered(6) }.value
            }
        }
        let inner = ["a": "outer", "b": "inner", "c": "inner"]
        expect(
            metadata(recorded),
            equals: [
                [:], ["a": "outer", "b": "outer", "c": "outer"], inner,
                ["a": "outer", "b": "inner", "c": "poster", "d": "poster"], inner,
                ["a": "outer", "b": "inner", "c": "task"],
            ])
    }

    @Test("the provider receives the unboxed error in the caller's task, so task-local values can be in the report")
    func taskLocals() async {
        let configuration = ErrorBus.Configuration(metadataProvider: { error in
            ["error": (error as? Numbered).map { "\($0.number)" } ?? "\(type(of: error))", "request": Request.id]
        })
        let boxed = await withRecordedErrors(configuration: configuration) { bus in
            await Request.$id.withValue("7") {
                bus.post(Numbered(1))
                do {
                    try await withCheckedThrowingContinuation { (boxes: CheckedContinuation<Void, any Error>) in
                        boxes.resume(throwing: Numbered(2))
                    }
                } catch { bus.post(error) }
                await bus.scope("scope").deliver(Numbered(3))
                bus.catching { throw Zoo.Offline() }
            }
        }
        expect(metadata(boxed).map { $0["error"] }, equals: ["1", "2", "3", "Offline"])
        #expect(metadata(boxed).allSatisfy { $0["request"] == "7" })

        let recorded = await withRecordedErrors(configuration: requestID) { bus in
            let scope = bus.scope("scope")
            await Request.$id.withValue("1") {
                bus.post(Numbered(1))
                scope.post(Numbered(2))
                await scope.deliver(Numbered(3))
                await Task { postError(Numbered(4)) }.value
                await Request.$id.withValue("2") { await scope.task { throw Numbered(5) }.value }
            }
            bus.post(Numbered(6))
            let gate = Gate()
            Thread.detachNewThread {
                Request.$id.withValue("thread") { bus.post(Numbered(7)) }
                gate.open()
            }
            await gate.wait()
        }
        expect(recorded.reports.map { $0.metadata["request"] }, equals: ["1", "1", "1", "1", "2", "none", "thread"])
    }

    @Test("the provider overrides the scopes' metadata, and the post both; actions and observers receive the same")
    func precedence() async {
        let journal = Journal<[String: String]>()
        let handler = ErrorHandler().always { _, report in
            journal.note(report.metadata)
            return .next
        }
        let configuration = ErrorBus.Configuration(metadataProvider: { _ in ["b": "provider", "c": "provider"] })
        let recorded = await withRecordedErrors(handler: handler, configuration: configuration) { bus in
            let scope = bus.scope("scope", metadata: ["a": "scope", "b": "scope", "c": "scope"])
            scope.post(Numbered(1), metadata: ["c": "poster"])
            scope.post(Numbered(2))
            bus.post(Numbered(3))
            // This caller waits for the outcome.
            await scope.deliver(Numbered(4), metadata: ["c": "poster"])
        }
        let all = ["a": "scope", "b": "provider", "c": "poster"]
        expect(
            metadata(recorded),
            equals: [
                all, ["a": "scope", "b": "provider", "c": "provider"], ["b": "provider", "c": "provider"], all,
            ])
        expect(journal.entries, equals: metadata(recorded))
    }

    @Test("the provider isn't called for errors that it posts itself, so it can't recurse endlessly")
    func reentry() async {
        let calls = Atomic<Int>(0)
        let configuration = ErrorBus.Configuration(metadataProvider: { _ in
            let number = calls.wrappingAdd(1, ordering: .relaxed).newValue
            postError(Numbered(100 + number), metadata: ["by": "provider"])
            return ["number": "\(number)"]
        })
        let recorded = await withRecordedErrors(configuration: configuration) { bus in
            bus.post(Numbered(1))
            await withErrorScope("scope", metadata: ["k": "v"]) { _ in postError(Numbered(2)) }
        }
        expect(calls.load(ordering: .relaxed), equals: 2)
        let numbers = recorded.matches(of: .type(Numbered.self)).map(\.number)
        expect(numbers, equals: [101, 1, 102, 2])
        expect(
            metadata(recorded),
            equals: [
                ["by": "provider"], ["number": "1"], ["by": "provider", "k": "v"], ["number": "2", "k": "v"],
            ])
    }

    @Test("tasks that a provider starts, and its posts to another bus, receive metadata like any other posts")
    func startedInside() async {
        let (started, inner) = (Journal<Task<Void, Never>>(), Journal<[String: String]>())
        let other = ErrorBus(
            handler: ErrorHandler().always { _, report in
                inner.note(report.metadata)
                return .next
            },
            configuration: .init(metadataProvider: { _ in
                // This provider posts to the first bus, while the first bus's provider is waiting for this bus.
                postError(Numbered(2))
                return ["by": "other"]
            }))
        let first = Atomic<Bool>(true)
        let configuration = ErrorBus.Configuration(metadataProvider: { _ in
            if first.exchange(false, ordering: .relaxed) {
                // A singleton that is created when it is first used does this.
                started.note(Task { postError(Numbered(1)) })
                other.post(Numbered(3))
            }
            return ["by": "provider"]
        })
        let recorded = await withRecordedErrors(configuration: configuration) { bus in
            bus.post(Numbered(0))
            await started.entries[0].value
        }
        other.finish()
        await other.run()
        let found = Dictionary(
            uniqueKeysWithValues: recorded.reports.map { (($0.error as? Numbered)?.number, $0.metadata["by"]) })
        expect(found, equals: [0: "provider", 1: "provider", 2: nil])
        expect(inner.entries, equals: [["by": "other"]])
    }

    @Test("the provider is called once for each error, even a dropped one, and never for the bus's own notices")
    func onceEach() async {
        let calls = Atomic<Int>(0)
        let configuration = ErrorBus.Configuration(
            capacity: 2, metadataProvider: { _ in ["n": "\(calls.wrappingAdd(1, ordering: .relaxed).newValue)"] })
        let handler = ErrorHandler().on(Numbered.self) { error in throw error }
        let bus = ErrorBus(handler: handler, configuration: configuration)
        let reports = bus.reports()
        let scope = bus.scope("scope")
        // Post before the bus runs, so that there is room for exactly two errors.
        for number in 1...5 { scope.post(Numbered(number)) }
        bus.finish()
        await bus.run()
        expect(calls.load(ordering: .relaxed), equals: 5)
        // Each failure has its report's metadata, and the notice of drops doesn't have metadata.
        expect(
            await reports.collected().map(\.metadata), equals: [["n": "1"], ["n": "1"], ["n": "2"], ["n": "2"], [:]])
    }

    @Test("a bus within a bus calls only its own provider")
    func innerBus() async {
        let outer = await withRecordedErrors(configuration: .init(metadataProvider: { _ in ["by": "outer"] })) { _ in
            let inner = await withRecordedErrors(configuration: .init(metadataProvider: { _ in ["by": "inner"] })) {
                _ in
                postError(Numbered(1))
            }
            expect(metadata(inner), equals: [["by": "inner"]])
            postError(Numbered(2))
        }
        expect(metadata(outer), equals: [["by": "outer"]])
    }
}
