import Foundation
import Synchronization
import TestSupport

// The check that statistics add up is internal.
@testable import ErrorRouting

/// What hostile errors do when the library calls them: post, dispatch, explain, lie, recurse.
///
/// There is one for each run, because an error's `==` can read only its operands. Each act consumes fuel. Without
/// fuel, all errors behave well, so that a run ends. Endless recursion in the library would overflow the stack long
/// before that.
final class FuzzMischief: Sendable {
    private static let here = Locked<FuzzMischief?>(nil)

    /// The mischief of the current run.
    static var current: FuzzMischief? { here.withLock { $0 } }

    private let fuel: Atomic<Int>
    private let state: Locked<SplitMix64>
    private let knots = Locked<[Task<FuzzErrors.Acting, Never>]>([])
    let handler: ErrorHandler
    let map: ErrorMap<Int>

    init(seed: UInt64, fuel: Int, handler: ErrorHandler, map: ErrorMap<Int>) {
        self.fuel = Atomic(fuel)
        state = Locked(SplitMix64(seed: seed))
        self.handler = handler
        self.map = map
    }

    func begin() { Self.here.withLock { $0 = self } }
    static func end() { here.withLock { $0 = nil } }

    var fuelLeft: Int { max(0, fuel.load(ordering: .relaxed)) }

    static func number(below limit: Int) -> Int {
        current?.state.withLock { Int.random(in: 0..<limit, using: &$0) } ?? 0
    }

    /// Does something that user code might do, or does nothing.
    static func act(about error: any Error) {
        guard let current, number(below: 3) == 0,
            current.fuel.wrappingSubtract(1, ordering: .relaxed).newValue > 0
        else { return }
        switch number(below: 10) {
        case 0: postError(error)
        case 1: ErrorBus.current?.post(error)
        case 2: _ = current.handler.handleSynchronously(error)
        case 3: _ = current.map[error]
        case 4: _ = current.handler.explain(error).description
        case 5: _ = ErrorReport(error: error, source: .init()).description
        case 6: _ = ErrorReport(error: error, source: .init()).trail.count
        case 7: _ = ErrorMatcher.anywhere(.conforming(to: (any LocalizedError).self)).match(error)
        case 8: _ = ErrorBus.current?.statistics.isBalanced
        default: ErrorBus.current?.task { throw error }
        }
    }

    /// Changes an error to one that contains itself, while others might be reading it.
    func tie(_ acting: FuzzErrors.Acting, to error: any Error) {
        let change = Task {
            await acting.change(error)
            return acting
        }
        knots.withLock { $0.append(change) }
    }

    /// Breaks the cycles of errors that retain themselves, which would leak.
    func untie() async {
        let knots = knots.withLock { knots in
            defer { knots = [] }
            return knots
        }
        for knot in knots { await knot.value.change(FuzzErrors.Value(number: 0)) }
    }

    /// Returns at random whether to lie.
    static func lies() -> Bool { current.map { $0.fuelLeft > 0 && number(below: 4) == 0 } ?? false }

    /// A string of more than one line, or a very long string.
    static var text: String {
        switch number(below: 24) {
        case 0: String(repeating: "long ", count: 10_000)
        case 1: "two\nlines\r\u{2028}\u{85}\u{1B}[31m"
        case 2: String(repeating: "\u{301}", count: 10_000)
        case 3: "\u{202E}\u{FEFF}\u{E0041}\u{AD}\u{200D}\u{200D}"
        case 4: "\" source=Fake.swift:1 x=\"\\"
        case 5: ""
        default: "plain"
        }
    }
}
