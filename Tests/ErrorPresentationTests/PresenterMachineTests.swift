import TestSupport
import Testing

@testable import ErrorPresentation

@Suite(
    "P2, P3: a presenter's machine shows one error at a time, and counts them", .tags(.presentation2, .presentation3),
    .hangLimit)
struct PresenterMachineTests {}

extension PresenterMachineTests {
    @Test("one error is shown, others wait in order, and errors without room are counted")
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

    @Test("without room, an error of the user's own action replaces the newest waiting error that isn't one of these")
    func ownActions() {
        let machine = HeldPresenter(limit: 3)
        for name in ["shown", "a", "b"] { _ = machine.add(name) }
        _ = machine.add("c", count: 3)
        // The error now represents two errors, of which one comes from the user's own action.
        expect(machine.add("b", isFromUser: true), equals: .merged(into: 3))
        // A replaced error counts as discarded, and its repeats count as merged.
        expect(machine.add("d", isFromUser: true), equals: .waits(5))
        // When the replaced error is posted again, it is a new error, and there is no room for it.
        expect(machine.add("c"), equals: .discarded)
        expect(machine.add("e", count: 2, canRetry: true), equals: .waits(6))
        expect(machine.add("f", isFromUser: true), equals: .discarded)
        expect(machine.waiting, equals: 3)
        expect(machine.statistics, equals: .init(received: 12, shown: 1, waiting: 3, merged: 4, discarded: 4))
        var messages: [String] = []
        while let current = machine.current {
            messages.append(current.message)
            _ = machine.dismiss()
        }
        expect(messages, equals: ["shown", "b", "d", "e"])
    }

    @Test("repeats of one type, message, style, and title are merged even without room; a later repeat is a new error")
    func folding() {
        let machine = HeldPresenter(limit: 4)
        _ = (machine.add("a"), machine.add("b"))
        expect(machine.add("a", type: Silent.self), equals: .waits(3))
        expect(machine.add("a", style: .banner), equals: .shown(4))
        expect(machine.add("a", title: "Saving"), equals: .waits(5))
        expect(machine.add("c", count: 2), equals: .waits(6))
        expect(machine.add("d", count: 7), equals: .discarded)
        expect(machine.add("a", title: "Saving"), equals: .merged(into: 5))
        expect(machine.add("a", count: 3), equals: .merged(into: 1))
        expect(machine.add("b"), equals: .merged(into: 2))
        expect(machine.current?.count, equals: 4)
        _ = machine.dismiss()
        expect(machine.current?.count, equals: 2)
        expect(machine.add("a"), equals: .waits(7))
        expect(machine.statistics, equals: .init(received: 20, shown: 3, waiting: 4, merged: 6, discarded: 7))
    }

    @Test("operations of several errors can run at the same time, and each failure is next in its own style")
    func retriesAtOnce() {
        var machine = PresenterMachine(limit: 9)
        func add(_ message: String, _ style: PresentationStyle, asFailureOf id: UInt64? = nil) {
            machine.receive(.init(received: 1, waiting: 1))
            let error = PresentedError(id: 0, style: style, message: message, canRetry: true)
            _ = machine.enqueue(error, type: Plain.self, asFailureOf: id)
        }
        for style in [PresentationStyle.alert, .banner] { for message in ["a", "b"] { add(message, style) } }
        machine.beginRetry(1)
        machine.beginRetry(3)
        add("alert failed", .alert, asFailureOf: 1)
        // It has a different style from the retried error, so it is next among the errors of its own style.
        add("banner failed", .alert, asFailureOf: 3)
        func end(_ style: PresentationStyle) {
            expect(machine.shown(as: style).map { machine.endRetry($0) }, equals: false)
        }
        end(.banner)
        expect(machine.shown(as: .banner)?.message, equals: "b")
        #expect(machine.isRetrying)
        end(.alert)
        expect(machine.shown(as: .alert)?.message, equals: "alert failed")
        #expect(!machine.isRetrying)
        expect(machine.dismiss(5)?.message, equals: "alert failed")
        expect(machine.shown(as: .alert)?.message, equals: "banner failed")
        expect(machine.statistics, equals: .init(received: 6, shown: 5, waiting: 1))
    }

    @Test("a retry's failure is shown next as a new error, even if it equals the old error and others wait")
    func retryThatFails() {
        let machine = HeldPresenter(limit: 1)
        _ = (machine.add("a", canRetry: true), machine.add("b"))
        expect(machine.beginRetry(), equals: 1)
        // A second tap has no effect.
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

    @Test("a retry's failure that equals a waiting error is merged into that error, which is shown next")
    func retryThatFailsAsOthers() {
        let machine = HeldPresenter(limit: 9)
        _ = (machine.add("a", canRetry: true), machine.add("b"))
        let retry = machine.beginRetry()
        expect(machine.add("a"), equals: .waits(3))
        expect(machine.add("a", asFailureOf: retry), equals: .merged(into: 3))
        _ = machine.endRetry()
        expect(machine.current, equals: .init(id: 3, message: "a", count: 2))
    }

    @Test("an error that can be retried is never merged")
    func retriesStandAlone() {
        let machine = HeldPresenter(limit: 2)
        expect(machine.add("a", canRetry: true), equals: .shown(1))
        expect(machine.add("a", canRetry: true), equals: .waits(2))
        expect(machine.add("a"), equals: .waits(3))
        expect(machine.add("a"), equals: .merged(into: 3))
        expect(machine.add("a", canRetry: true), equals: .waits(4))
        expect(machine.add("a", canRetry: true), equals: .discarded)
        expect(machine.statistics, equals: .init(received: 6, shown: 1, waiting: 2, merged: 1, discarded: 2))
    }

    @Test("the answer to a tap is shown next even if its alert is closed, the queue is full, or another alert is shown")
    func answer() {
        let machine = HeldPresenter(limit: 1)
        _ = (machine.add("a", canRetry: true), machine.add("b", canRetry: true))
        expect(machine.beginRetry(), equals: 1)
        expect(machine.dismiss(1), equals: 1)
        expect(machine.add("c"), equals: .waits(3))
        expect(machine.add("a failed", canRetry: true, asFailureOf: 1), equals: .waits(4))
        // A second failure of the same retry isn't the answer to the tap.
        expect(machine.add("a failed too", asFailureOf: 1), equals: .discarded)
        expect(machine.endRetry(), equals: nil)
        expect((0..<3).map { _ in machine.dismiss() }, equals: [2, 4, 3])
    }

    @Test("an error that was closed during its retry returns if the retry is cancelled, and is counted once")
    func returnsIfCancelled() {
        let machine = HeldPresenter(limit: 1)
        _ = (machine.add("a", canRetry: true), machine.add("b"))
        expect(machine.beginRetry(), equals: 1)
        expect(machine.dismiss(1), equals: 1)
        machine.cancelRetry(1)
        expectNil(machine.endRetry())
        // It is next, and doesn't count as waiting because it was shown before.
        expect(machine.current?.message, equals: "b")
        expect(machine.statistics, equals: .init(received: 2, shown: 2))
        expect(machine.add("c"), equals: .waits(3))
        expect(machine.dismiss(2), equals: 2)
        expect(machine.current, equals: .init(id: 1, message: "a", canRetry: true))
        expect(machine.statistics, equals: .init(received: 3, shown: 2, waiting: 1))
        // If no other error is shown, it returns immediately.
        machine.dismissAll([3])
        expect(machine.beginRetry(), equals: 1)
        expect(machine.dismiss(1), equals: 1)
        machine.cancelRetry(1)
        expectNil(machine.endRetry())
        expect(machine.current?.id, equals: 1)
        // While it waits to be shown again, the user can dismiss it, because it was seen.
        expect(machine.beginRetry(), equals: 1)
        expect(machine.dismiss(1), equals: 1)
        _ = machine.add("d")
        machine.cancelRetry(1)
        expectNil(machine.endRetry())
        expect(machine.dismiss(1), equals: 1)
        expect((0..<2).map { _ in machine.dismiss() }, equals: [4, nil])
        expect(machine.statistics, equals: .init(received: 4, shown: 3, discarded: 1))
    }

    @Test("of errors that are dismissed together, unseen errors count as discarded, and none flashes on screen")
    func dismissAll() {
        let machine = HeldPresenter(limit: 5)
        for message in ["a", "b", "c", "d"] { _ = machine.add(message, count: 2) }
        _ = machine.add("banner", style: .banner)
        machine.dismissAll([1, 2, 3, 5, 9])
        expect(machine.current?.message, equals: "d")
        expect(machine.statistics, equals: .init(received: 9, shown: 3, merged: 4, discarded: 2))
        // An equal error is new now.
        expect(machine.add("a"), equals: .waits(6))
    }

    @Test("an error stays if its retry is cancelled, unless the retry has failed; then an equal error waits separately")
    func cancelledRetry() {
        let machine = HeldPresenter(limit: 9)
        // Use an option instead of an operation, so that repeats are merged into the error.
        _ = (machine.add("a"), machine.add("b"))
        machine.cancelRetry(1)
        _ = machine.beginRetry(1)
        machine.cancelRetry(2)
        machine.cancelRetry(1)
        expectNil(machine.beginRetry(1))
        expectNil(machine.endRetry())
        expect(machine.current?.id, equals: 1)
        expect(machine.add("a"), equals: .merged(into: 1))
        _ = machine.beginRetry(1)
        expect(machine.add("a"), equals: .waits(3))
        machine.cancelRetry(1)
        expectNil(machine.endRetry())
        // Now both errors equal the new error, so the first of them counts it.
        expect(machine.add("a"), equals: .merged(into: 1))
        expect(machine.beginRetry(1), equals: 1)
        expect(machine.add("c", asFailureOf: 1), equals: .waits(4))
        machine.cancelRetry(1)
        expect(machine.endRetry(), equals: 1)
        expect(machine.current?.id, equals: 4)
    }
}

/// A machine that `#expect` can change, and the errors for it.
private final class HeldPresenter {
    /// The effect of adding an error.
    enum Placement: Equatable {
        case shown(PresentedError.ID), waits(PresentedError.ID), merged(into: PresentedError.ID), discarded
    }

    private var machine: PresenterMachine

    init(limit: Int) { machine = PresenterMachine(limit: limit) }

    var current: PresentedError? { machine.shown(as: .alert) }
    var waiting: Int { machine.statistics.waiting }
    /// The error that the user chose to retry.
    private var retried: PresentedError?
    var statistics: ErrorPresenter.Statistics { machine.statistics }

    func add(
        _ message: String,
        type: Any.Type = Plain.self,
        style: PresentationStyle = .alert,
        title: String? = nil,
        count: Int = 1,
        canRetry: Bool = false,
        isFromUser: Bool = false,
        asFailureOf retry: PresentedError.ID? = nil
    ) -> Placement {
        receive(count)
        let error = PresentedError(
            id: 0, style: style, title: title, message: message, count: count, canRetry: canRetry)
        let former = machine.errors
        let discarded = machine.enqueue(error, type: type, isFromUser: isFromUser, asFailureOf: retry)
        for added in machine.errors {
            switch former.first(where: { $0.id == added.id })?.count {
            case nil: return machine.shown(as: style)?.id == added.id ? .shown(added.id) : .waits(added.id)
            case added.count: break
            default: return .merged(into: added.id)
            }
        }
        expect(discarded, equals: error)
        return .discarded
    }

    func dismiss(_ id: PresentedError.ID? = nil) -> PresentedError.ID? {
        (id ?? current?.id).flatMap { machine.dismiss($0)?.id }
    }

    func dismissAll(_ ids: Set<PresentedError.ID>) {
        machine.dismissAll(ids)
    }

    func beginRetry(_ id: PresentedError.ID? = nil) -> PresentedError.ID? {
        guard retried == nil, let current, current.canRetry || id == current.id, id == nil || id == current.id else {
            return nil
        }
        machine.beginRetry(current.id)
        retried = current
        return current.id
    }

    func cancelRetry(_ id: PresentedError.ID) { machine.cancelRetry(id) }

    /// Returns the error's number if this call removed the error.
    func endRetry() -> PresentedError.ID? {
        guard let ended = retried.take() else { return nil }
        let isShown = current?.id == ended.id
        return machine.endRetry(ended) || !isShown ? nil : ended.id
    }

    private func receive(_ count: Int) {
        machine.receive(.init(received: count, waiting: count))
    }
}
