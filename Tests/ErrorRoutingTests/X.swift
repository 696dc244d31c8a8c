import ErrorRouting
import ErrorRoutingTesting
import Testing

struct Bang: Error, Equatable { var n = 0 }

@Test func smoke() async {
    let recorded = await withRecordedErrors(handler: ErrorHandler().on(Bang.self) { _ in .stop }) { bus in
        for n in 0..<1000 { bus.post(Bang(n: n)) }
        bus.task { throw Bang(n: 1000) }
        postError(CancellationError())
    }
    #expect(recorded.matches(of: .type(Bang.self)).map(\.n) == Array(0...1000))
    recorded.expectReported(.type(Bang.self), count: 1001)
    print(recorded.statistics)
    let clock = TestClock(), gate = Gate()
    let r = await withRecordedErrors(handler: ErrorHandler().on(Bang.self) { _ in await gate.wait(); return .stop }.on(.value(Bang(n: 5))) { _ in throw Bang(n: 7) }, configuration: .init(clock: clock)) { bus in
        bus.post(Bang(n: 5))
        async let o = bus.deliver(Bang())
        for _ in 0..<2 {
        await clock.waitForSleepers()
        clock.advance(by: .seconds(30)) }
        print(await o)
    }
    print(r); print(r.statistics)
    gate.open()
    print(ErrorHandler.default.on(Bang.self) { _ in .next}.explain(Bang()))
    print(ErrorHandler.default.on(Bang.self) { _ in .next})
}
