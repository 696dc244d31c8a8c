import ErrorRouting
import Foundation
import TestSupport
import Testing

/// `ErrorHandler` has value semantics: every verb returns a new value.
@Suite("Handlers are values", .hangLimit)
struct HandlerValueTests {
    let trace = ActionTrace()
}

extension HandlerValueTests {
    @Test("customizing a shared preset, or a used handler, doesn't change anything for others that share it")
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

        var handler = ErrorHandler().on(Zoo.Payment.self) { _ in trace("old") }
        await handler.handle(Zoo.Payment.expired)
        let copy = handler
        handler = handler.on(Zoo.Payment.self) { _ in trace("new", .stop) }
        await handler.handle(Zoo.Payment.expired)
        await copy.handle(Zoo.Payment.expired)
        expect(trace.takeAll(), equals: ["old", "new", "old"])
    }

    @Test("each verb returns a new value with one additional rule")
    func verbsReturnNewValues() {
        let handler = ErrorHandler().ignore(Zoo.Timeout.self)
        let results = [
            handler.on(matching: .any) { _ in .stop },
            handler.on(Zoo.Payment.self) { _ in .stop },
            handler.on(Zoo.Payment.expired) { _ in .stop },
            handler.on(domain: "d") { _ in .stop },
            handler.ignore(matching: .any),
            handler.ignore(Zoo.Payment.self),
            handler.ignore(Zoo.Payment.expired),
            handler.ignore(domain: "d"),
            handler.onNoMatch { _ in .stop },
            handler.always { _ in .stop },
            handler.overlaid(with: ErrorHandler().ignore(matching: .any)),
        ]
        let counts = results.map { $0.explain(Zoo.Offline()).entries.count }
        expect(counts, equals: Array(repeating: 2, count: 11))
        expect(handler.explain(Zoo.Offline()).entries.count, equals: 1)
    }

    @Test("an overlay's rules count as registered later: they go first, in their own order, and can stop the others")
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
        let stopping = base.overlaid(with: ErrorHandler().on(Zoo.Payment.self) { _ in trace("overlay", .stop) })
        expect(await stopping.handle(Zoo.Payment.expired).matchedRuleCount, equals: 1)
        expect(trace.takeAll(), equals: ["overlay", "base always"])
    }

    @Test("overlaying is associative, and an empty handler has no effect on either side")
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
