import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("Promises 22 and 26: a bus and a scope describe themselves", .tags(.promise22, .promise26), .hangLimit)
struct BusDescriptionTests {}

extension BusDescriptionTests {
    @Test("a bus's description shows whether the bus accepts posts, and its statistics at that time")
    func phases() async {
        let bus = ErrorBus(handler: ErrorHandler().on(Numbered.self) { _ in .stop })
        bus.post(Numbered(1))
        #expect("\(bus)".hasPrefix("error bus "))
        #expect("\(bus)".hasSuffix(" (open): \(bus.statistics)"))
        bus.finish()
        #expect("\(bus)".hasSuffix(" (finished): \(bus.statistics)"))
        await bus.run()
        #expect("\(bus)".hasSuffix(" (ended): \(bus.statistics)"))
        expect(bus.statistics.handled, equals: 1)
    }

    @Test("two buses have different descriptions, and a bus keeps its own")
    func numbers() {
        let (one, other) = (ErrorBus(handler: ErrorHandler()), ErrorBus(handler: ErrorHandler()))
        #expect("\(one)" != "\(other)")
        expect("\(one)", equals: "\(one)")
    }

    @Test("an action can read the description of its own bus, which shows how long the delivery has been running")
    func inDelivery() async {
        let description = Journal<String>()
        let handler = ErrorHandler().on(Numbered.self) { _ in
            if let bus = ErrorBus.current { description.note("\(bus)") }
            return .stop
        }
        await withErrorBus(handler: handler) { bus in _ = await bus.deliver(Numbered(1)) }
        expect(description.entries.count, equals: 1)
        #expect(description.entries.allSatisfy { $0.contains("in delivery for") })
    }

    @Test("a scope's description is its path on one line, truncated, and quoted unless it is a single word")
    func scopes() {
        let bus = ErrorBus(handler: ErrorHandler())
        expect("\(bus.scope("shop").scope("checkout"))", equals: "error scope shop/checkout")
        expect("\(bus.scope("a b\n"))", equals: #"error scope "a b\n""#)
        #expect("\(bus.scope(String(repeating: "a", count: 1 << 20)))".utf8.count < 17 * 1024)
    }
}
