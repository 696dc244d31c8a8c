import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

/// An operation that returns nothing needs another result: whether it succeeded.
@Suite("Catching what returns nothing says whether it succeeded", .tags(.behaviour17), .hangLimit)
struct CatchingVoidTests {}

extension CatchingVoidTests {
    private struct Client: Sendable {
        func send(_ number: Int) throws { if number < 0 { throw Numbered(number) } }
        func count() throws -> Int { 3 }
    }

    @Test("a poster's catching: true, or false and the error is posted")
    func poster() async {
        let client = Client()
        let recorded = await withRecordedErrors { bus in
            #expect(bus.catching { try client.send(1) })
            #expect(!bus.catching { try client.send(-1) })
            #expect(
                await bus.catching {
                    await Task.yield()
                    try client.send(2)
                })
            let isSent: Bool = await bus.catching {
                await Task.yield()
                try client.send(-2)
            }
            #expect(!isSent)
            // An unused result causes no warning.
            bus.catching { try client.send(-3) }
        }
        expect(recorded.matches(of: .type(Numbered.self)).map(\.number), equals: [-1, -2, -3])
    }

    @Test("what returns something still returns it, and an optional chain stays optional")
    func others() async {
        let (client, none) = (Client() as Client?, nil as Client?)
        await withErrorBus(handler: ErrorHandler()) { bus in
            let count = bus.catching { try Client().count() }
            #expect(type(of: count) == Int?.self && count == 3)
            let sent: Void? = bus.catching { try client?.send(1) }
            #expect(sent != nil)
            expectNil(bus.catching { try none?.send(1) })
            let later = await bus.catching {
                await Task.yield()
                return try Client().count()
            }
            #expect(type(of: later) == Int?.self && later == 3)
        }
    }
}
