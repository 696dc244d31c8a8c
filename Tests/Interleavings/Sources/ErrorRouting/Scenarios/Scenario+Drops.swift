import BoundedDescriptions
import Exploration

extension Scenario {
    /// Scenarios with posts to a full bus, and with the notices about them.
    static let drops: [Scenario] = [
        drops("drops-two-callers", .none(), each: 1) { [Numbered(number: $0), Numbered(number: $0)] },
        drops("drops-two-callers-of-two", .preemptions(2), long: .none(staleReads: 0), each: 2) {
            [Numbered(number: $0), Numbered(number: $0)]
        },
        drops("drops-of-two-types", .none(), each: 1) { [Numbered(number: $0), Other()] },
        dropsAtTheEnd("drops-at-the-end", .none(), callers: 1),
        dropsAtTheEnd("drops-at-the-end-two-callers", .preemptions(2), long: .none(staleReads: 0), callers: 2),
        dropsAfterTheEnd,
    ]

    private struct Other: Error {}

    /// Two callers post to a bus without a worker, and a thread creates notices until they report all drops.
    ///
    /// Each caller posts `each` errors. The closure returns the two callers' errors for a number.
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
                    guard let notice = bus.bus.storage.apply({ $0.takeDrops() }) else {
                        bus.bus.wakeUps.waitInThread()
                        continue
                    }
                    guard let drops = notice.error.error as? ErrorsDropped else { return fail("\(notice)") }
                    notices.append(drops)
                    counts.merge(drops.byType, uniquingKeysWith: +)
                }
            }
            return Execution(of: callers + [maker]) {
                let types = errors(0).map { TypeName.full(type(of: $0)) }
                expect(counts == Dictionary(types.map { ($0, each) }, uniquingKeysWith: +), "the drops are \(counts)")
                expect(!notices.contains { $0.count == 0 }, "\(notices)")
                let drops = bus.bus.storage.intake.drops.unreported
                let hasNotice = bus.bus.storage.apply { $0.dropNotice != nil }
                expect(drops == 0 && !hasNotice, "\(drops) drops have no notice")
            }
        }
    }

    /// Callers drop errors while the bus ends; the thread that finishes last reports the drops.
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

    /// Two callers have found a bus full but count their drops only after its end, and report each other's drops.
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
