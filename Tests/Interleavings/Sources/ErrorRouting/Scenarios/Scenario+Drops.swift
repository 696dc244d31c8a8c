import Exploration

extension Scenario {
    /// Posts to a full bus, and their notices.
    static let drops: [Scenario] = [
        drops("drops-two-callers", .none(), each: 1) { [Numbered(number: $0), Numbered(number: $0)] },
        drops("drops-two-callers-of-two", .preemptions(2), long: .none(staleReads: 0), each: 2) {
            [Numbered(number: $0), Numbered(number: $0)]
        },
        drops("drops-of-two-types", .none(), each: 1) { [Numbered(number: $0), Other()] },
        drops("drops-of-two-types-in-one-slot", .none(), each: 1) { _ in colliding },
        dropsAtTheEnd("drops-at-the-end", .none(), callers: 1),
        dropsAtTheEnd("drops-at-the-end-two-callers", .preemptions(2), long: .none(staleReads: 0), callers: 2),
        dropsAfterTheEnd,
    ]

    private struct Other: Error {}
    private struct Generic<First, Second>: Error {}

    /// Two errors of different types that a tally counts in the same slot, if the slot is free.
    private static let colliding: [any Error] = {
        func error<First, Second>(_: First.Type, _: Second.Type) -> any Error { Generic<First, Second>() }
        // These make 81 types, which are more than a tally has slots.
        let types: [Any.Type] = [
            Int8.self, Int16.self, Int32.self, Int64.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self, Int.self,
        ]
        let errors = types.flatMap { first in types.map { second in error(first, second) } }
        let slots = Dictionary(grouping: errors) { DropTally.firstSlot(for: type(of: $0)) }
        return Array(slots.values.first { $0.count > 1 }?.prefix(2) ?? [])
    }()

    /// Two callers of a bus without a worker, and a thread that creates notices until they report all drops.
    ///
    /// - Parameters:
    ///   - each: The number of errors that each caller posts.
    ///   - errors: Returns an error with a number for each caller.
    private static func drops(
        _ name: String, _ bound: Bound, long: Bound? = nil, each: Int,
        _ errors: @escaping @Sendable (Int) -> [any Error]
    ) -> Scenario {
        Scenario(of: name, bound, long: long) {
            let bus = ExploredBus(capacity: 1)
            bus.post(0)
            let callers = (0..<2).map { caller in
                { for number in 1...each { bus.post(errors(number)[caller]) } }
            }
            var (notices, counts) = ([ErrorsDropped](), [String: Int]())
            let maker = {
                while counts.values.reduce(0, +) < 2 * each {
                    guard let notice = bus.bus.storage.takeDropNotice() else {
                        bus.bus.wakeUps.waitInThread()
                        continue
                    }
                    guard let drops = notice.error.error as? ErrorsDropped else { return fail("\(notice)") }
                    notices.append(drops)
                    counts.merge(drops.byType, uniquingKeysWith: +)
                }
            }
            return Execution(of: callers + [maker]) {
                let types = errors(0).map { ErrorText.typeName(type(of: $0)) }
                expect(counts == Dictionary(types.map { ($0, each) }, uniquingKeysWith: +), "the drops are \(counts)")
                expect(!notices.contains { $0.count == 0 }, "\(notices)")
                let drops = bus.bus.storage.intake.drops.unreported
                expect(drops == 0 && !bus.bus.storage.intake.drops.hasNotice, "\(drops) drops have no notice")
            }
        }
    }

    /// Drops that callers announce while the bus ends; the last thread reports them.
    private static func dropsAtTheEnd(_ name: String, _ bound: Bound, long: Bound? = nil, callers: Int) -> Scenario {
        Scenario(of: name, bound, long: long) {
            let bus = ExploredBus(capacity: 1)
            bus.post(0)
            let threads = (1...callers).map { number in { bus.post(number) } }
            return Execution(of: threads + [{ bus.abort() }]) {
                bus.check(posted: callers + 1)
            }
        }
    }

    /// Two callers found a bus full, and count their drops only after its end; they report each other's drops.
    private static let dropsAfterTheEnd = Scenario(of: "drops-after-the-end", .none()) {
        let bus = ExploredBus(capacity: 1)
        bus.abort()
        let callers = (0..<2).map { number in { bus.drop(Numbered(number: number)) } }
        return Execution(of: callers) {
            let unreported = bus.bus.storage.intake.drops.unreported
            expect(Ledger.now.drops == 2 && unreported == 0, "\(Ledger.now.drops) of 2 drops are reported")
            bus.checkEnd()
        }
    }
}
