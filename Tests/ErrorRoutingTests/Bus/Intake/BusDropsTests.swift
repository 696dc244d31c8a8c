import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@Suite("Behaviour 13: a notice of drops says how many of which type", .tags(.behaviour13), .hangLimit)
struct BusDropsTests {}

extension BusDropsTests {
    /// A family of types, one for each parameter.
    struct Typed<Parameter>: Error {}

    @Test("drops of several types are counted by type, and the next notice tells only of what came after")
    func severalTypes() async {
        let bus = ErrorBus(handler: ErrorHandler(), configuration: .init(capacity: 1))
        var notices = bus.reports(matching: .type(ErrorsDropped.self)).makeAsyncIterator()
        bus.post(Numbered(0))
        for number in 1...2 { bus.post(Numbered(number)) }
        for error in [Zoo.Payment.expired, .unavailable, .declined(code: 1)] { bus.post(error) }
        bus.post(NSError(domain: "a", code: 1))
        let running = Task { await bus.run() }
        let (first, report) = await notices.next() ?? (ErrorsDropped(count: 0), nil)
        expect(first.count, equals: 6)
        expect(
            first.byType,
            equals: [
                "ErrorRoutingTests.Numbered": 2, "ErrorRoutingTests.Zoo.Payment": 3,
                String(reflecting: NSError.self): 1,
            ]
        )
        expect(report?.outcome.disposition, equals: .unmatched)
        #expect(
            first.description.contains("(3 of ErrorRoutingTests.Zoo.Payment, 2 of ErrorRoutingTests.Numbered, 1 of "))
        bus.finish()
        await running.value
        #expect(bus.statistics.dropped == 6 && bus.statistics.posted == 8 && bus.statistics.isBalanced)
    }

    @Test("the next notice tells only of what came after the one before")
    func nextNotice() async {
        let (entered, gate) = (Gate(), Gate())
        let handler = ErrorHandler().on(ErrorsDropped.self) { _ in
            entered.open()
            await gate.wait()
            return .stop
        }
        let bus = ErrorBus(handler: handler, configuration: .init(capacity: 1))
        let notices = bus.reports(matching: .type(ErrorsDropped.self))
        for number in 0...3 { bus.post(Numbered(number)) }
        let running = Task { await bus.run() }
        await entered.wait()
        // The first is in delivery: these are the second's.
        bus.post(Numbered(4))
        for _ in 0..<2 { bus.post(Zoo.Offline()) }
        bus.post(Numbered(5))
        gate.open()
        bus.finish()
        await running.value
        expect(
            await notices.collected().map(\.output),
            equals: [
                ErrorsDropped(count: 3, byType: ["ErrorRoutingTests.Numbered": 3]),
                ErrorsDropped(
                    count: 3,
                    byType: ["ErrorRoutingTests.Numbered": 1, "ErrorRoutingTests.Zoo.Offline": 2]
                ),
            ]
        )
    }

    @Test("64 types are told apart; what is dropped of others is counted together, also in later notices")
    func manyTypes() async {
        let (entered, gate) = (Gate(), Gate())
        let handler = ErrorHandler().on(ErrorsDropped.self) { _ in
            entered.open()
            await gate.wait()
            return .stop
        }
        let bus = ErrorBus(handler: handler, configuration: .init(capacity: 1))
        let notices = bus.reports(matching: .type(ErrorsDropped.self))
        bus.post(Numbered(0))
        for _ in 0..<2 { post(Never.self, 70, to: bus) }
        let running = Task { await bus.run() }
        await entered.wait()
        bus.post(Numbered(1))
        post(Never.self, 70, to: bus)
        gate.open()
        bus.finish()
        await running.value
        let found = await notices.collected().map(\.output)
        expect(found.map(\.count), equals: [140, 70])
        expect(found.map(\.byType.count), equals: [65, 65])
        expect(found.map { $0.byType["other types"] }, equals: [12, 6])
        expect(found.map { $0.byType.values.reduce(0, +) }, equals: [140, 70])
        expect(Set(found.map { Set($0.byType.keys) }).count, equals: 1)
        #expect(bus.statistics.dropped == 210 && bus.statistics.isBalanced)
    }

    @Test("drops of many types from many threads are each in one notice")
    func manyTypesAtOnce() async {
        let recorded = await withRecordedErrors(configuration: .init(capacity: 1)) { bus in
            await withTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask { @concurrent in for _ in 0..<20 { self.post(Never.self, 40, to: bus) } }
                }
            }
        }
        var ends: [String: Int] = [:]
        for error in recorded.errors {
            if let drops = error as? ErrorsDropped {
                ends.merge(drops.byType, uniquingKeysWith: +)
                #expect(drops.byType.values.reduce(0, +) == drops.count && drops.count > 0)
            } else {
                ends[String(reflecting: type(of: error)), default: 0] += 1
            }
        }
        expect(ends.count, equals: 40)
        #expect(ends.values.allSatisfy { $0 == 80 })
        #expect(recorded.statistics.isBalanced)
    }

    /// Posts one error of each of so many types.
    private func post<Parameter>(_ parameter: Parameter.Type, _ count: Int, to bus: ErrorBus) {
        if count == 0 { return }
        bus.post(Typed<Parameter>())
        post(Optional<Parameter>.self, count - 1, to: bus)
    }
}
