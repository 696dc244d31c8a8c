import ErrorRouting
import Foundation
import TestSupport
import Testing

/// `ErrorHandler` has value semantics: every verb returns a new value.
@Suite("Handlers are values")
struct HandlerValueTests {
    let trace = ActionTrace()
}

extension HandlerValueTests {
    @Test("customising a shared preset changes nothing for others who share it")
    func sharedPreset() async {
        let preset = ErrorHandler().on(Zoo.Payment.self) { _ in trace("preset") }
        let before = preset.description
        let mine = preset.on(Zoo.Payment.self) { _ in trace("mine", .stop) }
        let theirs = preset.on(Zoo.Payment.self) { _ in trace("theirs") }
        await preset.handle(Zoo.Payment.expired)
        expect(trace.takeAll(), equals: ["preset"])
        await mine.handle(Zoo.Payment.expired)
        expect(trace.takeAll(), equals: ["mine"])
        await theirs.handle(Zoo.Payment.expired)
        expect(trace.takeAll(), equals: ["theirs", "preset"])
        expect(preset.description, equals: before)
    }

    @Test(
        "each verb returns a new value with one rule more",
        arguments: [
            { $0.on(matching: .any) { _ in .stop } },
            { $0.on(Zoo.Payment.self) { _ in .stop } },
            { $0.on(Zoo.Payment.expired) { _ in .stop } },
            { $0.on(domain: "d") { _ in .stop } },
            { $0.ignore(matching: .any) },
            { $0.ignore(Zoo.Payment.self) },
            { $0.ignore(Zoo.Payment.expired) },
            { $0.ignore(domain: "d") },
            { $0.onNoMatch { _ in .stop } },
            { $0.always { _ in .stop } },
            { $0.overlaid(with: ErrorHandler().ignore(matching: .any)) },
        ] as [@Sendable (ErrorHandler) -> ErrorHandler]
    )
    func verbsReturnNewValues(verb: @Sendable (ErrorHandler) -> ErrorHandler) {
        let handler = ErrorHandler().ignore(Zoo.Timeout.self)
        let result = verb(handler)
        expect(handler.explain(Zoo.Offline()).entries.count, equals: 1)
        expect(result.explain(Zoo.Offline()).entries.count, equals: 2)
    }

    @Test("a handler that has handled errors can still be customised, and its copies keep to their rules")
    func customisedAfterUse() async {
        var handler = ErrorHandler().on(Zoo.Payment.self) { _ in trace("old") }
        await handler.handle(Zoo.Payment.expired)
        let copy = handler
        handler = handler.on(Zoo.Payment.self) { _ in trace("new", .stop) }
        await handler.handle(Zoo.Payment.expired)
        await copy.handle(Zoo.Payment.expired)
        expect(trace.entries, equals: ["old", "new", "old"])
    }

    @Test("the rules of an overlay count as registered later: they go first, in their own order")
    func overlay() async {
        let base = ErrorHandler()
            .on(Zoo.Payment.self) { _ in trace("base 1") }
            .on(Zoo.Payment.self) { _ in trace("base 2") }
            .onNoMatch { _ in trace("base no match") }
            .always { _ in trace("base always") }
        let overlay = ErrorHandler()
            .always { _ in trace("overlay always") }
            .onNoMatch { _ in trace("overlay no match") }
            .on(Zoo.Payment.self) { _ in trace("overlay 1") }
            .on(Zoo.Payment.self) { _ in trace("overlay 2") }
        let both = base.overlaid(with: overlay)
        await both.handle(Zoo.Payment.expired)
        expect(
            trace.takeAll(), equals: ["overlay 2", "overlay 1", "base 2", "base 1", "overlay always", "base always"]
        )
        await both.handle(Zoo.Offline())
        expect(trace.takeAll(), equals: ["overlay no match", "base no match", "overlay always", "base always"])
        await base.handle(Zoo.Payment.expired)
        expect(trace.takeAll(), equals: ["base 2", "base 1", "base always"])
        await overlay.handle(Zoo.Payment.expired)
        expect(trace.takeAll(), equals: ["overlay 2", "overlay 1", "overlay always"])
    }

    @Test("an overlay's .stop keeps the rules below it from running, and its match their onNoMatch")
    func overlayStops() async {
        let base = ErrorHandler().on(matching: .any) { _ in trace("base") }.onNoMatch { _ in trace("no match") }
        let overlaid = base.overlaid(with: ErrorHandler().on(Zoo.Payment.self) { _ in trace("overlay", .stop) })
        let outcome = await overlaid.handle(Zoo.Payment.expired)
        expect(trace.entries, equals: ["overlay"])
        expect(outcome.matchedRuleCount, equals: 1)
    }

    @Test("overlaying is associative, and an empty handler changes nothing on either side")
    func overlayLaws() {
        let (one, two, three) = (
            ErrorHandler().ignore(domain: "1").onNoMatch { _ in .stop },
            ErrorHandler().ignore(domain: "2").always { _ in .stop },
            ErrorHandler().ignore(domain: "3").onNoMatch { _ in .stop }
        )
        let left = one.overlaid(with: two).overlaid(with: three)
        let right = one.overlaid(with: two.overlaid(with: three))
        expect(left.description, equals: right.description)
        expect(one.overlaid(with: ErrorHandler()).description, equals: one.description)
        expect(ErrorHandler().overlaid(with: one).description, equals: one.description)
        #expect(one.overlaid(with: two).description != two.overlaid(with: one).description)
    }

    @Test("a handler describes its rules in the order in which they are tried")
    func handlerDescription() {
        let handler = ErrorHandler()
            .on(matching: .type(Zoo.Payment.self), fileID: "Intake/Rules.swift", line: 1) { _ in .stop }
            .ignore(matching: .type(CancellationError.self), fileID: "Intake/Rules.swift", line: 2)
            .onNoMatch(fileID: "Intake/Rules.swift", line: 3) { _ in .stop }
            .always(fileID: "Intake/Rules.swift", line: 4) { _ in .stop }
            .always(fileID: "Intake/Rules.swift", line: 5) { _ in .stop }
        expect(
            handler.description,
            equals: """
                ErrorHandler, in the order tried:
                  1. ignore type(CancellationError) at Intake/Rules.swift:2
                  2. on type(Payment) at Intake/Rules.swift:1
                  3. onNoMatch at Intake/Rules.swift:3
                  4. always at Intake/Rules.swift:5
                  5. always at Intake/Rules.swift:4
                """
        )
        expect(ErrorHandler().description, equals: "ErrorHandler: no rules")
    }
}
