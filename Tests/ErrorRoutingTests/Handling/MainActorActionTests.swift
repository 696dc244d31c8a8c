import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("An action of the main actor runs there, and counts as asynchronous", .hangLimit)
@MainActor
struct MainActorActionTests {}

extension MainActorActionTests {
    private final class View {
        var shown: [Int] = []
    }

    @Test("with and without the report, from a bus and from any task")
    func shapes() async {
        let view = View()
        let handler = ErrorHandler()
            .on(Numbered.self) { @MainActor error in
                view.shown.append(error.number)
                return .next
            }
            .on(matching: .type(Numbered.self)) { @MainActor error, report in
                view.shown.append(error.number + Int(report.occurrences))
                return .next
            }
        expectNil(handler.handleSynchronously(Numbered(1)))
        await withErrorBus(handler: handler) { bus in bus.post(Numbered(1)) }
        await Task { @concurrent in _ = await handler.handle(Numbered(5)) }.value
        expect(view.shown, equals: [2, 1, 6, 5])
    }

    @Test("a closure that says nothing of an actor is synchronous, also where the main actor writes it")
    func others() {
        let handler = ErrorHandler().on(Numbered.self) { $0.number == 1 ? .stop : .next }
        expect(handler.handleSynchronously(Numbered(1))?.disposition, equals: .handled)
    }
}
