import ErrorRouting
import Foundation
import TestSupport
import Testing

/// Detects a plan or a description that other threads see incomplete, twice, or for another type.
@Suite("Dispatch by type is correct if several tasks meet a new type at the same time", .hangLimit)
struct DispatchConcurrencyTests {}

extension DispatchConcurrencyTests {
    private protocol Letter: Sendable {}
    private enum A: Letter {}
    private enum B: Letter {}
    private enum C: Letter {}
    private enum D: Letter {}

    /// A type for every list of letters.
    private struct Word<First: Letter, Rest: Sendable>: Error, Letter {}

    /// Calls a body with an error of each of the types at a given depth.
    private func words(_ depth: Int, _ body: (any Error) -> Void) {
        func extend<Rest: Letter>(_ rest: Rest.Type, _ depth: Int) {
            if depth == 0 { return }
            for word in [Word<A, Rest>() as any Error & Letter, Word<B, Rest>(), Word<C, Rest>(), Word<D, Rest>()] {
                if depth == 1 { body(word) } else { next(word, depth - 1) }
            }
        }
        func next(_ word: any Error & Letter, _ depth: Int) {
            func opened<W: Error & Letter>(_ word: W) { extend(W.self, depth) }
            opened(word)
        }
        extend(A.self, depth)
    }

    @Test("threads that extend a handler while another thread uses it first each have their own rules")
    func extendedConcurrently() async {
        for round in 0..<300 {
            let base = ErrorHandler().on(Zoo.Timeout.self) { _ in .stop }.on(Zoo.Offline.self) { _ in .stop }
            await onThreads(4) { thread in
                if thread == 0 {
                    expect(base.handleSynchronously(Numbered(round))?.isHandled, equals: false)
                } else {
                    let own = base.on(Numbered(thread)) { _ in .stop }.on(Numbered(-thread)) { _ in .stop }
                    for number in -3...3 {
                        expect(
                            own.handleSynchronously(Numbered(number))?.isHandled, equals: abs(number) == thread)
                    }
                }
                expect(base.handleSynchronously(Zoo.Offline())?.isHandled, equals: true)
            }
        }
    }

    @Test("new types that several tasks meet at the same time are each handled by their own rule only")
    func typesFirstSeenConcurrently() async {
        var errors: [any Error] = []
        words(4) { errors.append($0) }
        expect(errors.count, equals: 256)
        for _ in 0..<5 {
            var handler = ErrorHandler()
            for (number, error) in errors.enumerated() where number % 2 == 0 {
                handler = rule(handler, for: error, line: UInt(number))
            }
            await withTaskGroup { [handler, errors] group in
                for task in 0..<8 {
                    group.addTask { @concurrent in
                        for step in 0..<errors.count {
                            // Each task visits the types in its own order.
                            let number = (step * 37 + task * 31) % errors.count
                            let outcome = await handler.handle(errors[number])
                            expect(outcome.disposition, equals: (number % 2 == 0 ? .handled : .unmatched))
                            expect(outcome.rule?.source.line, equals: (number % 2 == 0 ? UInt(number) : nil))
                            expect(outcome.matchedRuleCount, equals: (number % 2 == 0 ? 1 : 0))
                        }
                    }
                }
            }
        }
    }

    @Test("one handler's outcomes name the same rule, whichever thread produced them")
    func rulesAcrossThreads() async {
        struct Lost: Error {}
        let handler = ErrorHandler().on(Lost.self) { _ in .stop }
        let rules = await withTaskGroup { group in
            for _ in 0..<64 {
                group.addTask { @concurrent in await handler.handle(Lost()).rule }
            }
            return await group.reduce(into: Set<RuleDescription?>()) { $0.insert($1) }
        }
        expect(rules.count, equals: 1)
        expect(rules.first??.matcher, equals: "type(Lost)")
    }

    @Test("a handler with many rules is built and discarded without deep recursion")
    func manyRules() async {
        struct Lost: Error {}
        var handler = ErrorHandler().on(Lost.self) { _ in .stop }
        for _ in 0..<200_000 { handler = handler.ignore(CancellationError.self) }
        expect(await handler.handle(Lost()).disposition, equals: .handled)
        expect(handler.handleSynchronously(CancellationError())?.disposition, equals: .ignored)
    }

    @Test("an outcome outlives the handler that produced it")
    func outcomesOutliveHandlers() async {
        struct Lost: Error {}
        var outcomes: [HandleOutcome] = []
        for _ in 0..<100 { outcomes.append(await ErrorHandler().on(Lost.self) { _ in .stop }.handle(Lost())) }
        #expect(outcomes.allSatisfy { $0.rule?.matcher == "type(Lost)" })
        expect(Set(outcomes.map(\.rule)).count, equals: 100)
    }

    private func rule(_ handler: ErrorHandler, for error: any Error, line: UInt) -> ErrorHandler {
        func add<E: Error>(_ type: E.Type) -> ErrorHandler { handler.on(type, line: line) { _ in .stop } }
        return _openExistential(type(of: error), do: add)
    }
}
