import ErrorRouting
import TestSupport
import Testing

extension ErrorHandler {
    /// An application's own preset, with the library's name.
    ///
    /// It is visible only in this file, so other tests keep the library's preset. An application declares it internal.
    fileprivate static var `default`: ErrorHandler {
        .standardError.overlaid(with: ErrorHandler().ignore(matching: .type(Zoo.Payment.self).named("own rule")))
    }
}

@Suite("An application's own default takes precedence over the library's, wherever a handler is expected", .hangLimit)
struct OwnDefaultTests {
    private func matchers(_ handler: ErrorHandler) -> [String] {
        handler.explain(Zoo.Payment.expired).entries.map(\.rule.matcher)
    }

    private let own = ["own rule", "cancellation", "onNoMatch"]
}

extension OwnDefaultTests {
    @Test("ErrorHandler.default and .default are the application's preset, even for a bus; changing it makes a copy")
    func bus() async {
        let outcome = await withErrorBus(handler: .default) { bus in
            await bus.deliver(Zoo.Payment.expired)
        }
        expect(outcome.disposition, equals: .ignored)
        expect(outcome.rule?.matcher, equals: "own rule")
        expect(matchers(ErrorHandler.default), equals: own)
        expect(matchers(.default), equals: own)
        expect(matchers(.standardError), equals: Array(own.dropFirst()))
        expect(matchers(.default.ignore(Zoo.Offline.self)), equals: ["type(Offline)"] + own)
        expect(matchers(.default), equals: own)
    }
}
