import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ErrorRouting

@Suite("Rules are read in blocks, which handlers and scopes share", .hangLimit)
struct BlockTests {}

extension BlockTests {
    private static func addresses(_ path: Borrowed<BlockPath>) -> [UInt] {
        path.read { path in (0..<path.count).map { path.block($0, .rule).address } }
    }

    private static func addresses(_ handler: ErrorHandler) -> [UInt] { addresses(handler.rules.path) }

    private static func numbers(_ count: Int) -> ErrorHandler {
        (0..<count).reduce(ErrorHandler()) { handler, number in handler.on(Numbered(number)) { _ in .next } }
    }

    private static func customized(_ handler: ErrorHandler) -> ErrorHandler { handler.on(Numbered.self) { _ in .next } }

    @Test("a preset is one block for every handler that customizes it, whether the preset was used before or not")
    func preset() {
        let (used, unused) = (Self.numbers(10), Self.numbers(10))
        let block = Self.addresses(used)
        expect(block.count, equals: 1)
        for _ in 0..<3 { expect(Self.addresses(Self.customized(used)).dropFirst(), equals: block[...]) }

        // The first handler looks like a handler that is still being built.
        let first = Self.customized(unused)
        let others = (0..<3).map { _ in Self.addresses(Self.customized(unused)) }
        expect(Set(others.map { $0[1] }).count, equals: 1)
        expect(others.map(\.count), equals: [2, 2, 2])
        for handler in [first, Self.customized(used), Self.customized(unused)] {
            expect(handler.handleSynchronously(Numbered(3))?.matchedRuleCount, equals: 2)
        }
    }

    @Test("a small preset that calls its matchers and was used before is one block for all handlers that customize it")
    func smallPreset() {
        for callingHandler in [
            ErrorHandler.default, Self.numbers(1).on(matching: .conforming(to: (any Bounced).self)) { _ in .next },
        ] {
            let block = Self.addresses(callingHandler)
            for _ in 0..<2 { expect(Self.addresses(Self.customized(callingHandler)).dropFirst(), equals: block[...]) }
        }
    }

    private protocol Bounced: Error {}
    fileprivate protocol Sized: Error {}

    @Test("overlays and scopes concatenate the blocks of their handlers", .tags(.promise21))
    func concatenation() {
        let (base, overlay) = (Self.numbers(6), Self.numbers(7))
        let both = base.overlaid(with: overlay)
        expect(Self.addresses(both), equals: Self.addresses(overlay) + Self.addresses(base))
        expect(Self.addresses(both.overlaid(with: both)), equals: Self.addresses(both) + Self.addresses(both))
        let scope = ErrorBus(handler: base).scope("scope", handler: both, order: .rootFirst)
        expect(Self.addresses(scope.context.blocks), equals: Self.addresses(base) + Self.addresses(both))
    }

    @Test("a handler that is used after each added rule has at most as many blocks as its rule count has bits")
    func grown() {
        for isAsked in [false, true] {
            var handler = ErrorHandler()
            for number in 1...300 {
                handler =
                    isAsked
                    ? handler.on(matching: .conforming(to: (any Sized).self)) { _ in .next }
                    : handler.on(Numbered.self) { _ in .next }
                expect(handler.handleSynchronously(Numbered(1))?.matchedRuleCount, equals: number)
                #expect(Self.addresses(handler).count <= Int.bitWidth - number.leadingZeroBitCount)
            }
        }
    }

    @Test("rules that compare a value or a domain are read without a plan; a rule that must be called creates a plan")
    func comparedWithoutPlan() {
        let preset = Self.numbers(10)
        _ = preset.handleSynchronously(Numbered(3))
        func hasPlan(_ handler: ErrorHandler, _ error: any Error) -> Bool? {
            _ = handler.handleSynchronously(error)
            return handler.rules.path.read { $0.block(0, .rule).read { $0.hasPlan(for: type(of: error)) } }
        }
        expect(hasPlan(preset.on(Numbered(3)) { _ in .stop }, Numbered(3)), equals: false)
        expect(hasPlan(preset.on(Numbered(3)) { _, _ in .stop }, Numbered(4)), equals: false)
        let error = NSError(domain: "a domain", code: 3)
        expect(hasPlan(preset.on(domain: "a domain", code: 3) { _ in .stop }, error), equals: false)
        expect(hasPlan(preset.ignore(domain: "a domain"), Numbered(3)), equals: false)
        let callingHandler = preset.on(matching: .conforming(to: (any Sized).self)) { _ in .stop }
        expect(hasPlan(callingHandler, Numbered(3)), equals: true)
    }

    @Test("1,000 rules for one code of 1,000 domains each find their own error, and no other's")
    func domains() {
        let rules = (0..<1_000).reduce(ErrorMap(default: -1)) { $0.on(domain: "domain \($1)", code: 1, $1) }
            .on(domain: "domain 5", 1_005)
        for number in [0, 4, 5, 999] {
            expect(rules[NSError(domain: "domain \(number)", code: 1)], equals: number == 5 ? 1_005 : number)
            expect(rules[NSError(domain: "domain \(number)", code: 2)], equals: number == 5 ? 1_005 : -1)
        }
    }

    // A recursion over so many overlays would overflow the stack.
    @Test("20,000 overlays on top of each other, or within each other, are used, explained, and deallocated")
    func deep() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            await withCheckedContinuation { continuation in
                let thread = Thread {
                    for isOnTop in [true, false] {
                        let rule = ErrorHandler().on(Numbered.self) { _ in .next }
                        let handler = (0..<20_000).reduce(rule) { handler, _ in
                            isOnTop ? handler.overlaid(with: rule) : rule.overlaid(with: handler)
                        }
                        for _ in 0..<2 {
                            expect(handler.handleSynchronously(Numbered(1))?.matchedRuleCount, equals: 20_001)
                        }
                        expect(handler.explain(Numbered(1)).entries.count, equals: 20_001)
                    }
                    continuation.resume()
                }
                thread.stackSize = 512 * 1_024
                thread.start()
            }
        }
    }

    @Test("the first use of a preset's block by 64 tasks at the same time works like any other use")
    func firstUseAtOnce() async {
        for _ in 0..<20 {
            let preset = Self.numbers(10).onNoMatch { _ in .stop }
            let handlers = (0..<64).map { number in preset.on(Numbered(number % 3)) { _ in .next } }
            await withTaskGroup { group in
                for (number, handler) in handlers.enumerated() {
                    group.addTask { @concurrent in
                        for error in 0..<12 {
                            let count = (error < 10 ? 1 : 0) + (error == number % 3 ? 1 : 0)
                            expect(await handler.handle(Numbered(error)).matchedRuleCount, equals: count)
                        }
                    }
                }
            }
        }
    }

    /// An error that counts how often it is compared.
    private struct Compared: Error, Hashable {
        let count: Counter

        static func == (one: Compared, other: Compared) -> Bool {
            one.count.value.wrappingAdd(1, ordering: .relaxed)
            return true
        }

        func hash(into hasher: inout Hasher) {}
    }

    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    @Test("values aren't compared more often if other actions run after the rule that stops, whether on a bus or not")
    func comparedOnce() async {
        let error = Compared(count: Counter())
        let stopping = Self.numbers(9).on(error) { _ in .stop }
        var (comparisons, onABus): ([Int], [Int]) = ([], [])
        for handler in [stopping, stopping.always { _ in .next }] {
            // The first call creates a plan.
            await handler.handle(error)
            error.count.value.store(0, ordering: .relaxed)
            await handler.handle(error)
            comparisons.append(error.count.value.exchange(0, ordering: .relaxed))
            await withErrorBus(handler: handler) { bus in _ = await bus.deliver(error) }
            onABus.append(error.count.value.load(ordering: .relaxed))
        }
        #expect(comparisons[0] > 0 && onABus[0] > 0)
        expect(comparisons[1], equals: comparisons[0])
        expect(onABus[1], equals: onABus[0])
    }

    private struct Deep: Error {}

    @Test(
        "a type that first occurs where matchers are nested too deep has its domain read later", .tags(.promise24)
    )
    func metTooDeep() {
        let domain = (Deep() as NSError).domain
        // Use more rules than are read linearly.
        let handler = Self.numbers(5).on(domain: "another") { _ in .stop }.on(domain: domain) { _ in .stop }
        @Sendable func dive(_ depth: Int, _ atTheBottom: @escaping @Sendable () -> Void) {
            if depth == PerThread.depthLimit { return atTheBottom() }
            _ = ErrorMatcher<any Error>.predicate { _ in
                dive(depth + 1, atTheBottom)
                return false
            }.match(Numbered(1))
        }
        // At the innermost level, matchers can't be called, so the rules don't match.
        dive(0) { expect(handler.handleSynchronously(Deep())?.disposition, equals: .unmatched) }
        expect(handler.handleSynchronously(Deep())?.disposition, equals: .handled)
    }
}

extension Numbered: BlockTests.Sized {}
