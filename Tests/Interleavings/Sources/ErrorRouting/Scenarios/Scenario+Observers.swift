import Exploration

extension Scenario {
    static let observers: [Scenario] = [
        observers("observers-close", .preemptions(2, staleReads: 0), long: .preemptions(3, staleReads: 0)) {
            $0.bus.finish()
        },
        observers("observers-abort", .preemptions(2, staleReads: 0), long: .preemptions(3, staleReads: 0)) {
            $0.abort()
        },
        firstObserver, waitingCaller, discardedBus,
    ]

    /// The reports that an observer receives.
    ///
    /// The end must come exactly once, after all reports.
    private final class Observed: @unchecked Sendable {
        private let retained = Counted()
        private(set) var numbers: [Int] = []
        private(set) var ends = 0
        private(set) var statistics = ErrorBus.Statistics()

        func note(_ report: ErrorReport) {
            expect(ends == 0, "a report comes after the end")
            read(Borrowed(self))
            if let error = report.error as? Numbered { numbers.append(error.number) }
        }

        func end(_ statistics: ErrorBus.Statistics) {
            _ = made(self)
            ends += 1
            self.statistics = statistics
            expect(ends == 1, "a second end")
        }
    }

    /// One observer is added and another is removed while reports are being delivered.
    private static func observers(
        _ name: String, _ bound: Bound, long: Bound, end: @escaping @Sendable (ExploredBus) -> Void
    ) -> Scenario {
        Scenario(of: name, bound, long: long) {
            let bus = ExploredBus(capacity: 4)
            let (staying, coming, going) = (Observed(), Observed(), Observed())
            let stays = bus.bus.observe(staying.note, onEnd: staying.end)
            let goes = bus.bus.observe(going.note, onEnd: going.end)
            bus.post(0)
            var (comes, wasPending): (ErrorObservation?, Bool) = (nil, false)
            let comer = {
                comes = bus.bus.observe(coming.note, onEnd: coming.end)
                // Read the counts after adding the observer: a report that is still pending must reach the observer.
                wasPending = bus.bus.statistics.handled == 0
                bus.post(1)
                end(bus)
            }
            let goer = {
                goes.cancel()
                withExtendedLifetime(goes) {}
            }
            return Execution(of: [comer, goer, { bus.work() }]) {
                for (name, observer) in [("staying", staying), ("coming", coming), ("going", going)] {
                    expect(observer.ends == 1, "the \(name) observer has got \(observer.ends) ends")
                    expect(Set(observer.numbers).count == observer.numbers.count, "\(name): \(observer.numbers)")
                }
                // Leave out reports that an abort returned during their delivery: observers don't receive them.
                let observable = Ledger.now.handled.filter { !Ledger.now.returned.contains($0) }
                expect(staying.numbers == observable, "observable: \(observable), but \(staying.numbers)")
                for number in observable where number == 1 || wasPending {
                    expect(coming.numbers.contains(number), "the comer has missed \(number), which was pending")
                }
                bus.check(posted: 2)
                withExtendedLifetime((stays, comes)) {}
            }
        }
    }

    /// The bus's first observer is added during a delivery.
    ///
    /// It receives the report if the report still counts as pending after the observer was added.
    private static let firstObserver = Scenario(of: "observer-comes", .none(), long: .none(staleReads: 4)) {
        let bus = ExploredBus(capacity: 4)
        let observed = Observed()
        bus.post(0)
        var (comes, wasPending): (ErrorObservation?, Bool) = (nil, false)
        let comer = {
            comes = bus.bus.observe(observed.note, onEnd: observed.end)
            wasPending = bus.bus.statistics.handled == 0
            bus.bus.finish()
        }
        return Execution(of: [comer, { bus.work() }]) {
            expect(observed.ends == 1, "the observer has got \(observed.ends) ends")
            expect(observed.numbers == [0] || !wasPending && observed.numbers.isEmpty, "\(observed.numbers)")
            bus.check(posted: 1)
            withExtendedLifetime(comes) {}
        }
    }

    /// A caller that is waiting for its report shuts the bus down when it receives the outcome.
    private static let waitingCaller = Scenario(
        of: "deliver-abort", .preemptions(2, staleReads: 0), long: .preemptions(3, staleReads: 0)
    ) {
        let bus = ExploredBus(capacity: 4)
        let observed = Observed()
        let observation = bus.bus.observe(observed.note, onEnd: observed.end)
        let caller = {
            let promise = bus.deliver(0)
            wait { promise.valueIfFulfilled != nil }
            expect(promise.valueIfFulfilled?.disposition == .handled, "not handled")
            expect(observed.numbers.contains(0), "the caller resumes before the observer has the report")
            bus.abort()
        }
        return Execution(of: [caller, { bus.post(1) }, { bus.work() }], invariant: bus.checkCounts) {
            let observable = Ledger.now.handled.filter { !Ledger.now.returned.contains($0) }
            expect(observed.numbers == observable, "observable: \(observable), but \(observed.numbers)")
            expect(observed.ends == 1, "the observer has got \(observed.ends) ends")
            bus.check(posted: 2)
            withExtendedLifetime(observation) {}
        }
    }

    /// An observation is cancelled while its bus is discarded.
    private static let discardedBus = Scenario(of: "observer-discarded", .none(staleReads: 4)) {
        var bus: ExploredBus? = ExploredBus(capacity: 2)
        bus?.post(0)
        let observed = Observed()
        let observation = bus?.bus.observe(observed.note, onEnd: observed.end)
        return Execution(of: [{ bus = nil }, { observation?.cancel() }]) {
            expect(observed.ends == 1, "the observer has got \(observed.ends) ends")
            expect(observed.statistics.posted == 1, "the observer has got \(observed.statistics)")
        }
    }
}
