import TestSupport
import Testing

@testable import ErrorPresentation

@Suite(
    "P2, P3: a presenter's machine shows one error at a time, and its law holds", .tags(.presentation2, .presentation3))
struct PresenterMachineTests {}

extension PresenterMachineTests {
    @Test("one error is shown, the others wait in order, and what does not fit is counted")
    func order() {
        let machine = HeldPresenter(limit: 2)
        expect(["a", "b", "c", "d"].map { machine.add($0) }, equals: [.shown(1), .waits(2), .waits(3), .discarded])
        expectNil(machine.dismiss(2))
        expect(machine.dismiss(), equals: 1)
        expect(machine.current?.message, equals: "b")
        expect(machine.add("d"), equals: .waits(4))
        expect(machine.waiting, equals: 2)
        expect((0..<4).map { _ in machine.dismiss() }, equals: [2, 3, 4, nil])
        expect(machine.statistics, equals: .init(received: 5, shown: 4, discarded: 1))
    }

    @Test("where there is no room, what was asked for takes the place of the newest that was not")
    func askedFor() {
        let machine = HeldPresenter(limit: 3)
        for name in ["shown", "a", "b"] { _ = machine.add(name) }
        _ = machine.add("c", count: 3)
        // The error stands for two now, one of which was asked for.
        expect(machine.add("b", isAskedFor: true), equals: .folded(into: 3))
        // What is replaced is counted as discarded, and its repeats as folded.
        expect(machine.add("d", isAskedFor: true), equals: .waits(5))
        // An error that was replaced is new when it comes again, and finds no room.
        expect(machine.add("c"), equals: .discarded)
        expect(machine.add("e", count: 2, canRetry: true), equals: .waits(6))
        expect(machine.add("f", isAskedFor: true), equals: .discarded)
        expect(machine.waiting, equals: 3)
        expect(machine.statistics, equals: .init(received: 12, shown: 1, waiting: 3, folded: 4, discarded: 4))
        var messages: [String] = []
        while let current = machine.current {
            messages.append(current.message)
            _ = machine.dismiss()
        }
        expect(messages, equals: ["shown", "b", "d", "e"])
    }

    @Test("repeats of one type, message, style and title fold, also where there is no room; a later one is news")
    func folding() {
        let machine = HeldPresenter(limit: 4)
        _ = (machine.add("a"), machine.add("b"))
        expect(machine.add("a", type: Silent.self), equals: .waits(3))
        expect(machine.add("a", style: .banner), equals: .shown(4))
        expect(machine.add("a", title: "Saving"), equals: .waits(5))
        expect(machine.add("c", count: 2), equals: .waits(6))
        expect(machine.add("d", count: 7), equals: .discarded)
        expect(machine.add("a", title: "Saving"), equals: .folded(into: 5))
        expect(machine.add("a", count: 3), equals: .folded(into: 1))
        expect(machine.add("b"), equals: .folded(into: 2))
        expect(machine.current?.count, equals: 4)
        _ = machine.dismiss()
        expect(machine.current?.count, equals: 2)
        expect(machine.add("a"), equals: .waits(7))
        expect(machine.statistics, equals: .init(received: 20, shown: 3, waiting: 4, folded: 6, discarded: 7))
    }

    @Test("operations of several errors may run at once; the failure of each comes next in its own style")
    func retriesAtOnce() {
        var machine = PresenterMachine(limit: 9)
        func add(_ message: String, _ style: PresentationStyle, asFailureOf id: UInt64? = nil) {
            machine.receive(.init(received: 1, waiting: 1))
            let error = PresentedError(id: 0, style: style, message: message, canRetry: true)
            _ = machine.place(error, type: Plain.self, asFailureOf: id)
        }
        for style in [PresentationStyle.alert, .banner] { for message in ["a", "b"] { add(message, style) } }
        machine.beginRetry(1)
        machine.beginRetry(3)
        add("alert failed", .alert, asFailureOf: 1)
        // Of another style than the error that it comes from: it waits there.
        add("banner failed", .alert, asFailureOf: 3)
        expect(machine.endRetry(3), equals: false)
        expect(machine.shown(as: .banner)?.message, equals: "b")
        #expect(machine.isRetrying)
        expect(machine.endRetry(1), equals: false)
        expect(machine.shown(as: .alert)?.message, equals: "alert failed")
        #expect(!machine.isRetrying)
        expect(machine.statistics, equals: .init(received: 6, shown: 4, waiting: 2))
    }

    @Test("a retry's failure is shown next, as a new error, though it is like the one before and others wait")
    func retryThatFails() {
        let machine = HeldPresenter(limit: 1)
        _ = (machine.add("a", canRetry: true), machine.add("b"))
        expect(machine.beginRetry(), equals: 1)
        // A second tap does nothing.
        expectNil(machine.beginRetry())
        expect(machine.add("a", canRetry: true, asFailureOf: 1), equals: .waits(3))
        expect(machine.add("c", asFailureOf: 1), equals: .discarded)
        expect(machine.current?.id, equals: 1)
        expect(machine.waiting, equals: 2)
        expect(machine.endRetry(), equals: 1)
        expect(machine.current, equals: .init(id: 3, message: "a", canRetry: true))
        expect(machine.waiting, equals: 1)
        _ = machine.dismiss()
        expect(machine.current?.message, equals: "b")
    }

    @Test("a retry's failure that is like one that waits is folded into that, which comes next")
    func retryThatFailsAsOthers() {
        let machine = HeldPresenter(limit: 9)
        _ = (machine.add("a", canRetry: true), machine.add("b"))
        let retry = machine.beginRetry()
        expect(machine.add("a"), equals: .waits(3))
        expect(machine.add("a", canRetry: true, asFailureOf: retry), equals: .folded(into: 3))
        _ = machine.endRetry()
        expect(machine.current, equals: .init(id: 3, message: "a", count: 2, canRetry: true))
    }

    @Test("an error whose retry was cancelled stays, unless the retry failed first; one like it waits by itself")
    func cancelledRetry() {
        let machine = HeldPresenter(limit: 9)
        _ = (machine.add("a", canRetry: true), machine.add("b"))
        machine.cancelRetry(1)
        _ = machine.beginRetry()
        machine.cancelRetry(2)
        machine.cancelRetry(1)
        expectNil(machine.beginRetry())
        expectNil(machine.endRetry())
        expect(machine.current?.id, equals: 1)
        expect(machine.add("a"), equals: .folded(into: 1))
        _ = machine.beginRetry()
        expect(machine.add("a"), equals: .waits(3))
        machine.cancelRetry(1)
        expectNil(machine.endRetry())
        expect(machine.add("a"), equals: .folded(into: 3))
        expect(machine.beginRetry(), equals: 1)
        expect(machine.add("c", asFailureOf: 1), equals: .waits(4))
        machine.cancelRetry(1)
        expect(machine.endRetry(), equals: 1)
        expect(machine.current?.id, equals: 4)
    }
}

/// A machine that `#expect` may change, and the errors that it takes.
private final class HeldPresenter {
    private var machine: PresenterMachine

    init(limit: Int) { machine = PresenterMachine(limit: limit) }

    var current: PresentedError? { machine.shown(as: .alert) }
    var waiting: Int { machine.statistics.waiting }
    /// The number of the error that a person has chosen to try again.
    private(set) var retried: PresentedError.ID?
    var statistics: ErrorPresenter.Statistics { machine.statistics }

    func add(
        _ message: String,
        type: Any.Type = Plain.self,
        style: PresentationStyle = .alert,
        title: String? = nil,
        count: Int = 1,
        canRetry: Bool = false,
        isAskedFor: Bool = false,
        asFailureOf retry: PresentedError.ID? = nil
    ) -> PresenterMachine.Placement {
        receive(count)
        let error = PresentedError(
            id: 0, style: style, title: title, message: message, count: count, canRetry: canRetry)
        return machine.place(error, type: type, isAskedFor: isAskedFor, asFailureOf: retry)
    }

    func dismiss(_ id: PresentedError.ID? = nil) -> PresentedError.ID? {
        guard let id = id ?? current?.id, machine.dismiss(id) else { return nil }
        return id
    }

    func beginRetry(_ id: PresentedError.ID? = nil) -> PresentedError.ID? {
        guard retried == nil, let current, current.canRetry, id == nil || id == current.id else { return nil }
        machine.beginRetry(current.id)
        retried = current.id
        return retried
    }

    func cancelRetry(_ id: PresentedError.ID) { machine.cancelRetry(id) }

    /// Returns the number of the error if it was removed now.
    func endRetry() -> PresentedError.ID? {
        guard let ended = retried.take() else { return nil }
        let isShown = current?.id == ended
        return machine.endRetry(ended) || !isShown ? nil : ended
    }

    private func receive(_ count: Int) {
        machine.receive(.init(received: count, waiting: count))
        #expect(machine.statistics.isBalanced)
    }
}
