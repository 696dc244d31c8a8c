import Exploration

extension Scenario {
    /// Posts to a full bus, and their notices.
    static let drops: [Scenario] = [
        drops("drops-two-callers", .none(), each: 1, types: 1),
        drops("drops-two-callers-of-two", .preemptions(2), long: .none(staleReads: 0), each: 2, types: 1),
        drops("drops-of-two-types", .none(), each: 1, types: 2),
        dropsAtTheEnd("drops-at-the-end", .none(), callers: 1),
        dropsAtTheEnd("drops-at-the-end-two-callers", .preemptions(2), long: .none(staleReads: 0), callers: 2),
    ]

    private struct Other: Error {}

    /// Callers of a bus without a worker, and a thread that creates notices until they report all drops.
    private static func drops(_ name: String, _ bound: Bound, long: Bound? = nil, each: Int, types: Int) -> Scenario {
        Scenario(of: name, bound, long: long) {
            let bus = ExploredBus(capacity: 1)
            bus.post(0)
            let callers = (0..<2).map { caller in
                {
                    for number in 1...each {
                        if types == 1 || caller == 0 { bus.post(10 * caller + number) } else { bus.post(Other()) }
                    }
                }
            }
            var (notices, sum) = ([Int](), 0)
            let maker = {
                while sum < 2 * each {
                    guard let notice = bus.bus.storage.perform({ $0.takeDropNotice(before: .max, $1) }) else {
                        bus.bus.wakeUps.waitInThread()
                        continue
                    }
                    notices.append((notice.error.error as? ErrorsDropped)?.count ?? 0)
                    sum += notices.last ?? 0
                }
            }
            return Execution(of: callers + [maker]) {
                expect(sum == 2 * each && !notices.contains(0), "notices of \(notices) drops")
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
}
