import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Promise 22: nested scopes take memory in proportion to their number, and no stack",
    .tags(.promise22), .hangLimit)
struct ScopeDepthTests {}

extension ScopeDepthTests {
    /// A scope within the given number of scopes, each with the values that the closure returns for it.
    private static func nested(
        _ depth: Int,
        in bus: ErrorBus,
        _ handler: (_ level: Int) -> ErrorHandler = { _ in ErrorHandler() },
        order: (_ level: Int) -> ErrorScope.Order = { _ in .innermostFirst }
    ) -> ErrorScope {
        var scope = bus.scope("0", handler: handler(0), order: order(0))
        for level in 1..<depth {
            scope = scope.scope("\(level)", handler: handler(level), order: order(level))
        }
        return scope
    }

    /// A handler that notes its level and continues.
    private static func noting(_ level: Int, in journal: Journal<Int>) -> ErrorHandler {
        ErrorHandler()
            .on(Numbered.self) { _ in
                journal.note(level)
                return .next
            }
            .onNoMatch { _ in
                journal.note(level)
                return .next
            }
    }

    @Test(
        "rules of 20,000 scopes are tried in order, onNoMatch from the inside out; reports show all names and metadata")
    func order() async {
        let depth = 20_000
        let journal = Journal<Int>()
        func isRootFirst(_ level: Int) -> Bool { level % 3 == 0 }
        await withErrorBus(handler: Self.noting(-1, in: journal)) { bus in
            let scope = Self.nested(
                depth,
                in: bus,
                { Self.noting($0, in: journal) },
                order: { isRootFirst($0) ? .rootFirst : .innermostFirst }
            )
            expect(await scope.deliver(Numbered(1)).matchedRuleCount, equals: depth + 1)
            expect(scope.path, equals: (0..<depth).map { "\($0)" })
        }
        let levels = 0..<depth
        var tried = levels.reversed().filter { !isRootFirst($0) }
        tried += [-1]
        tried += levels.filter(isRootFirst)
        expect(journal.entries, equals: tried)
        let fallbacks = Journal<Int>()
        await withErrorBus(handler: Self.noting(-1, in: fallbacks)) { bus in
            let scope = Self.nested(depth, in: bus, { Self.noting($0, in: fallbacks) })
            expect(await scope.deliver(Zoo.Offline()).disposition, equals: .unmatched)
        }
        expect(fallbacks.entries, equals: (-1..<depth).reversed())

        let reports = await withRecordedErrors { bus in
            var scope = bus.scope("0", metadata: ["a": "0", "b": "0"])
            for level in 1..<20_000 {
                scope = scope.scope("\(level)", metadata: level % 100 == 0 ? ["b": "\(level)"] : [:])
            }
            scope.post(Numbered(1))
            scope.post(Numbered(2), metadata: ["a": "poster"])
        }.reports
        let path = (0..<20_000).map { "\($0)" }
        expect(reports.map(\.scope), equals: [path, path])
        expect(reports.map(\.metadata), equals: [["a": "0", "b": "19900"], ["a": "poster", "b": "19900"]])
    }

    @Test("100,000 scopes are posted through and explained, whether each has rules or few have")
    func deepest() async {
        let journal = Journal<Int>()
        await withErrorBus(handler: .noting(journal)) { bus in
            let rules = ErrorHandler().on(Numbered.self) { _ in .next }
            let depth = 100_000
            let scope = Self.nested(depth, in: bus, { _ in rules })
            expect(await scope.deliver(Numbered(1)).matchedRuleCount, equals: depth + 1)
            let sparse = Self.nested(depth, in: bus, { $0 == 0 || $0 == depth - 1 ? rules : ErrorHandler() })
            expect(await sparse.deliver(Numbered(2)).matchedRuleCount, equals: 3)
            expect(sparse.explain(Numbered(3)).entries.map(\.scope.count), equals: [depth, 1, 0])
        }
        expect(journal.entries, equals: [1, 2])
    }

    @Test("20,000 scopes that were created without a bus post to a bus that is created later")
    func withoutBus() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let depth = 20_000
            let journal = Journal<Int>()
            let last = await withErrorScope("0", handler: ScopeDepthTests.noting(0, in: journal)) { outermost in
                var scope = outermost
                for level in 1..<depth {
                    scope = scope.scope("\(level)", handler: ScopeDepthTests.noting(level, in: journal))
                }
                let innermost = scope
                let recorded = await withRecordedErrors { _ in
                    expect(await innermost.deliver(Numbered(1)).matchedRuleCount, equals: depth)
                }
                expect(recorded.reports.map(\.scope.count), equals: [depth])
                return Weak(outermost.context)
            }
            expect(journal.entries, equals: (0..<depth).reversed())
            // Wait until the worker has released the scopes: otherwise the leak sanitizer would report them when the
            // process exits.
            await eventually("the worker has released the scopes") { last.object == nil }
        }
    }

    // Recursion over so many scopes would overflow the stack; on a small stack, recursion over far fewer would.
    @Test("3,000 and 100,000 scopes are deallocated on a small stack")
    func release() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            for depth in [3_000, 100_000] {
                let bus = ErrorBus(handler: ErrorHandler())
                let scope = Locked<ErrorScope?>(ScopeDepthTests.nested(depth, in: bus))
                await withCheckedContinuation { continuation in
                    let thread = Thread {
                        scope.withLock { $0 = nil }
                        continuation.resume()
                    }
                    thread.stackSize = 128 * 1_024
                    thread.start()
                }
            }
        }
    }

    @Test("eight threads that first read a scope's names, metadata, and rules at the same time find all of them")
    func firstAtOnce() async {
        let bus = ErrorBus(handler: ErrorHandler())
        let rules = ErrorHandler().onNoMatch { _ in .next }
        for round in 0..<200 {
            let outer = bus.scope("outer", handler: rules, metadata: ["a": "outer", "b": "outer"])
            let scope = outer.scope("\(round)", handler: rules, metadata: ["b": "inner"])
            let seen = Journal<[String]>()
            let blocks = Journal<[UInt]>()
            await onThreads(8) { _ in
                let error = UnboxedError(Numbered(1))
                let posting = Posting(
                    error, at: .init(), scope: scope.context, extras: Box(.init(metadata: ["c": "poster"])))
                scope.context.blocks.read { path in
                    blocks.note((0..<path.count).map { path.block($0, .onNoMatch).address })
                }
                let report = posting.report()
                seen.note(report.scope + report.metadata.sorted { $0.key < $1.key }.map(\.value))
            }
            expect(seen.entries, equals: Array(repeating: ["outer", "\(round)", "outer", "inner", "poster"], count: 8))
            // The scopes share their rules: each of them has the same block, and the bus has none.
            expect(blocks.entries.map(\.count), equals: Array(repeating: 2, count: 8))
            expect(Set(blocks.entries.joined()).count, equals: 1)
        }
    }

    // Run in a separate process, where nothing else takes memory.
    @Test("20,000 scopes with a rule each take ten times the memory of 2,000, even after a post through them")
    func memory() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            _ = await ScopeDepthTests.memory(of: 100)
            let small = await ScopeDepthTests.memory(of: 2_000)
            // Each may take at most 16 KiB. With more, ten times as many scopes wouldn't fit in memory.
            try #require(small.afterDispatch < 32 << 20, "\(small)")
            let large = await ScopeDepthTests.memory(of: 20_000)
            // Allow a factor of 15, because memory is taken page by page. Quadratic growth would be a factor of 100.
            #expect(large.made < small.made * 15 + 1 << 20, "\(small), \(large)")
            #expect(large.afterDispatch < small.afterDispatch * 15 + 1 << 20, "\(small), \(large)")
        }
    }

    /// The memory that nested scopes with a rule each take, in bytes: before any post, and after an error was posted in
    /// the innermost scope.
    private static func memory(of depth: Int) async -> (made: Int, afterDispatch: Int) {
        let before = residentSize()
        return await withErrorBus(handler: ErrorHandler()) { bus in
            let scope = nested(
                depth, in: bus, { level in ErrorHandler().on(Numbered.self) { _ in level < 0 ? .stop : .next } })
            let made = residentSize() - before
            expect(await scope.deliver(Numbered(1)).matchedRuleCount, equals: depth)
            return (made, residentSize() - before)
        }
    }
}
