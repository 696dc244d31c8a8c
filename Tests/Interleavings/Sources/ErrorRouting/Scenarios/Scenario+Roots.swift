import Exploration

extension Scenario {
    static let roots: [Scenario] = [roots("roots", .none(), long: .none(staleReads: 4))]

    /// A bus becomes the root while the former root ends, and another thread reads the root.
    private static func roots(_ name: String, _ bound: Bound, long: Bound) -> Scenario {
        Scenario(of: name, bound, long: long) {
            let former = ExploredBus(capacity: 1)
            former.bus.becomeRoot()
            var newer: ExploredBus?
            let comer = {
                let bus = ExploredBus(capacity: 1)
                newer = bus
                _ = made(bus.bus)
                bus.bus.becomeRoot()
                expect(ErrorBus.root === bus.bus, "the newest is not the root")
            }
            let reader = {
                for _ in 0..<2 {
                    guard let root = ErrorBus.root else { continue }
                    read(Borrowed(root))
                    expect(root === former.bus || root === newer?.bus, "the root is another bus")
                }
            }
            return Execution(of: [comer, reader, { former.abort() }]) {
                expect(ErrorBus.root === newer?.bus, "the newest is not the root in the end")
                newer?.abort()
                expect(ErrorBus.root == nil, "a bus is the root that has ended")
            }
        }
    }
}
