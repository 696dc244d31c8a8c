import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

/// A body runs on its caller's actor, and no other work of the actor runs between the call and the body.
@Suite("Bodies of withErrorBus, withErrorScope and bound keep their caller's actor")
struct BindingIsolationTests {}

extension BindingIsolationTests {
    enum Call: CaseIterable {
        case withErrorBus, withErrorScope, bound
        /// The control: it binds nothing.
        case catching
    }

    @MainActor
    @Test("on the main actor nothing comes between call and body", arguments: Call.allCases)
    func mainActor(call: Call) async {
        let bus = ErrorBus(handler: ErrorHandler())
        var order: [String] = []
        let other = Task { @MainActor in order.append("other") }
        switch call {
        case .withErrorBus:
            await withErrorBus(handler: ErrorHandler()) { _ in order.append("body") }
        case .withErrorScope:
            await withErrorScope("scope") { _ in
                order.append("body")
                await nothing()
            }
        case .bound:
            await bus.scope("scope").bound {
                order.append("body")
                await nothing()
            }
        case .catching:
            await bus.catching {
                order.append("body")
                await nothing()
            }
        }
        await other.value
        expect(order, equals: ["body", "other"])
    }

    private actor Counter {
        private var count = 0

        func count(in scope: ErrorScope) async -> Int {
            let other = Task { count += 10 }
            let seen = await scope.bound {
                count += 1
                await nothing()
                return count
            }
            await other.value
            return seen
        }
    }

    @Test("an actor's state may be used in a body, and is there as it was at the call")
    func actors() async {
        let scope = ErrorBus(handler: ErrorHandler()).scope("scope")
        expect(await Counter().count(in: scope), equals: 1)
    }
}

private func nothing() async {}
