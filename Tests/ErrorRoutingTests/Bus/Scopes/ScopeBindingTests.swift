import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@Suite("Promise 22: a task posts to the innermost bound scope", .tags(.promise22), .hangLimit)
struct ScopeBindingTests {}

extension ScopeBindingTests {
    /// The scopes that errors were posted in, by their numbers.
    private func scopes(_ recorded: RecordedErrors) -> [Int: [String]] {
        let numbers = recorded.matches(of: .type(Numbered.self)).map(\.number)
        return Dictionary(zip(numbers, recorded.reports.map(\.scope))) { first, _ in first }
    }

    @Test("a worker that a body starts keeps its scope and metadata; a detached one that binds the bus keeps neither")
    func longLivedWorkers() async {
        let recorded = await withRecordedErrors { bus in
            var workers: [AsyncStream<Int>.Continuation] = []
            var tasks: [Task<Void, Never>] = []
            for number in [1, 2] {
                await withErrorScope("request \(number)", metadata: ["user": "\(number)"]) { _ in
                    if workers.isEmpty {
                        let (first, inheriting) = AsyncStream.makeStream(of: Int.self)
                        let (second, detached) = AsyncStream.makeStream(of: Int.self)
                        workers = [inheriting, detached]
                        tasks = [
                            Task { for await job in first { postError(Numbered(job)) } },
                            Task.detached { await bus.bound { for await job in second { postError(Numbered(job)) } } },
                        ]
                    }
                    workers[0].yield(number)
                    workers[1].yield(10 + number)
                }
            }
            for worker in workers { worker.finish() }
            for task in tasks { await task.value }
        }
        expect(scopes(recorded), equals: [1: ["request 1"], 2: ["request 1"], 11: [], 12: []])
        expect(recorded.reports.filter { $0.metadata != [:] }.map(\.metadata), equals: [["user": "1"], ["user": "1"]])
    }

    @Test("withErrorScope binds its scope for the body and its tasks; a scope's task runs in it, a bus's task doesn't")
    func everythingItStarts() async {
        let recorded = await withRecordedErrors { bus in
            await withErrorScope("scope") { scope in
                #expect(scope.path == ["scope"] && ErrorBus.current === bus)
                postError(Numbered(1))
                async let child: Void = postError(Numbered(2))
                await child
                await withTaskGroup { group in group.addTask { postError(Numbered(3)) } }
                await Task { postError(Numbered(4)) }.value
                await bus.task { postError(Numbered(5)) }.value
                await scope.task { postError(Numbered(6)) }.value
                await Task { await Task { postError(Numbered(7)) }.value }.value
            }
            postError(Numbered(8))
        }
        var expected = Dictionary(uniqueKeysWithValues: (1...7).map { ($0, ["scope"]) })
        expected[8] = []
        expect(scopes(recorded), equals: expected)

        let tasks = await withRecordedErrors { bus in
            let scope = bus.scope("scope")
            await scope.task {
                postError(Numbered(1))
                throw Numbered(2)
            }.value
            await scope.bound {
                await bus.task {
                    postError(Numbered(3))
                    throw Numbered(4)
                }.value
            }
        }
        expect(tasks.matches(of: .type(Numbered.self)).map(\.number), equals: [1, 2, 3, 4])
        expect(tasks.reports.map(\.scope), equals: [["scope"], ["scope"], ["scope"], []])
    }

    @Test(
        "a body that doesn't throw needs no try; its value is returned, or its typed error is thrown but not posted")
    func value() async {
        let recorded = await withRecordedErrors { _ in
            let scope = await withErrorScope("scope") { $0 }
            scope.post(Numbered(1))
            expect(await withErrorScope("scope") { _ in 42 }, equals: 42)
        }
        expect(scopes(recorded), equals: [1: ["scope"]])

        // These compile only if the types are as declared.
        func throwing(in bus: ErrorBus) async throws(Numbered) {
            try await bus.scope("scope").bound { () async throws(Numbered) in throw Numbered(1) }
        }
        func throwingSynchronously(in bus: ErrorBus) throws(Numbered) {
            try bus.scope("scope").bound { () throws(Numbered) in throw Numbered(2) }
        }
        func throwingInBody() async throws(Numbered) -> Int {
            try await withErrorScope("scope") { _ async throws(Numbered) in throw Numbered(3) }
        }
        let nothing = await withRecordedErrors { bus in
            await #expect(throws: Numbered(1)) { try await throwing(in: bus) }
            #expect(throws: Numbered(2)) { try throwingSynchronously(in: bus) }
            await #expect(throws: Numbered(3)) { try await throwingInBody() }
        }
        nothing.expectNoneReported()
    }

    @Test("scopes nest: the innermost is bound, and after its body the enclosing scope is bound again")
    func nesting() async {
        let handler = ErrorHandler().on(Numbered(2)) { _ in .stop }
        let recorded = await withRecordedErrors { _ in
            await withErrorScope("outer", metadata: ["a": "outer", "b": "outer"]) { outer in
                postError(Numbered(1))
                await withErrorScope("inner", handler: handler, order: .rootFirst, metadata: ["b": "inner"]) { inner in
                    expect(inner.path, equals: ["outer", "inner"])
                    postError(Numbered(2), metadata: ["c": "poster"])
                    // Another scope can be bound within it, even one of the enclosing scopes.
                    outer.bound { postError(Numbered(3)) }
                }
                postError(Numbered(4))
            }
        }
        expect(scopes(recorded), equals: [1: ["outer"], 2: ["outer", "inner"], 3: ["outer"], 4: ["outer"]])
        expect(recorded.reports[1].metadata, equals: ["a": "outer", "b": "inner", "c": "poster"])
        expect(recorded.reports.map(\.outcome.isHandled), equals: [false, true, false, false])
    }

    @Test("bound carries a scope into detached tasks and threads, which lose the binding; async and sync")
    func bound() async {
        let recorded = await withRecordedErrors { bus in
            let scope = bus.scope("scope")
            await Task.detached {
                expectNil(ErrorBus.current)
                let answer = await scope.bound {
                    await Task.yield()
                    postError(Numbered(1))
                    await Task { postError(Numbered(2)) }.value
                    return ErrorBus.current === bus
                }
                #expect(answer)
                expectNil(ErrorBus.current)
            }.value
            let gate = Gate()
            Thread.detachNewThread {
                let answer = scope.bound {
                    postError(Numbered(3))
                    return 42
                }
                expect(answer, equals: 42)
                expectNil(ErrorBus.current)
                gate.open()
            }
            await gate.wait()
        }
        expect(scopes(recorded), equals: [1: ["scope"], 2: ["scope"], 3: ["scope"]])
    }

    @Test("bodies keep the caller's isolation, even an actor's, and can use values that aren't Sendable")
    @MainActor func isolation() async {
        final class Counter { var count = 0 }
        let counter = Counter()
        let recorded = await withRecordedErrors { bus in
            await withErrorScope("scope") { scope in
                MainActor.assertIsolated()
                counter.count += 1
                await scope.scope("async").bound {
                    MainActor.assertIsolated()
                    await Task.yield()
                    MainActor.assertIsolated()
                    counter.count += 1
                    postError(Numbered(counter.count))
                }
                scope.scope("sync").bound {
                    MainActor.assertIsolated()
                    counter.count += 1
                    postError(Numbered(counter.count))
                }
                await scope.task {
                    MainActor.assertIsolated()
                    throw Numbered(4)
                }.value
            }
        }
        expect(scopes(recorded), equals: [2: ["scope", "async"], 3: ["scope", "sync"], 4: ["scope"]])

        let other = ErrorBus(handler: ErrorHandler()).scope("scope")
        expect(await Ticker().count(in: other), equals: 1)
    }

    @Test("a bus that is bound inside a scope takes precedence, with its own scopes; later the scope is bound again")
    func innerBus() async {
        let journal = Journal<String>()
        let recorded = await withRecordedErrors { outerBus in
            await withErrorScope("outer") { outer in
                let inside = await withRecordedErrors { _ in
                    postError(Numbered(1))
                    await withErrorScope("inner") { inner in
                        expect(inner.path, equals: ["inner"])
                        postError(Numbered(2))
                    }
                    outer.bound {
                        #expect(ErrorBus.current === outerBus)
                        postError(Numbered(3))
                    }
                    postError(Numbered(4))
                }
                for report in inside.reports { journal.note("\(report.error) \(report.scope)") }
                postError(Numbered(5))
            }
        }
        expect(
            journal.entries,
            equals: [
                "Numbered(number: 1) []", #"Numbered(number: 2) ["inner"]"#, "Numbered(number: 4) []",
            ])
        expect(scopes(recorded), equals: [3: ["outer"], 5: ["outer"]])
    }

    @Test("each method of the ambient poster finds the scope, and withErrorBus waits for the tasks that it starts")
    func ambient() async {
        let errors: any ErrorPosting = .ambient
        let gate = Gate()
        let recorded = await withRecordedErrors(handler: ErrorHandler().on(Numbered(2)) { _ in .stop }) { _ in
            await withErrorScope("scope") { _ in
                errors.post(Numbered(1))
                #expect(await errors.deliver(Numbered(2)).isHandled)
                errors.catching { throw Numbered(3) }
                #expect(throws: Numbered(4)) { try errors.rethrowing { throw Numbered(4) } }
                errors.task {
                    await gate.wait()
                    throw Numbered(5)
                }
            }
            errors.task { gate.open() }
        }
        expect(scopes(recorded), equals: Dictionary(uniqueKeysWithValues: (1...5).map { ($0, ["scope"]) }))
        // All reports come from this file, and not from other posts to the bus.
        #expect(recorded.reports.allSatisfy { $0.source.fileID == #fileID })
    }

    enum Call: CaseIterable {
        case withErrorBus, withErrorScope, bound
        /// The control case, which doesn't bind a scope.
        case catching
    }

    @MainActor
    @Test("on the main actor the body runs without a suspension", arguments: Call.allCases)
    func mainActor(call: Call) async {
        let bus = ErrorBus(handler: ErrorHandler())
        var order: [String] = []
        let other = Task { @MainActor in order.append("other") }
        switch call {
        case .withErrorBus:
            await withErrorBus(handler: ErrorHandler()) { _ in order.append("body") }
        case .withErrorScope:
            await withErrorScope("scope") { _ in
                order.append("body")
                await nothing()
            }
        case .bound:
            await bus.scope("scope").bound {
                order.append("body")
                await nothing()
            }
        case .catching:
            await bus.catching {
                order.append("body")
                await nothing()
            }
        }
        await other.value
        expect(order, equals: ["body", "other"])
    }

    private actor Ticker {
        private var count = 0

        func count(in scope: ErrorScope) async -> Int {
            let other = Task { count += 10 }
            let seen = await scope.bound {
                count += 1
                await nothing()
                return count
            }
            await other.value
            return seen
        }
    }
}

private func nothing() async {}
