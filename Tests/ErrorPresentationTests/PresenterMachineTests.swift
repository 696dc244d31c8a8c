import TestSupport
import Testing

@testable import ErrorPresentation

/// [P2](../../Sources/ErrorPresentation/ErrorPresentation.docc/ErrorPresentation.md#what-is-promised),
/// [P3](../../Sources/ErrorPresentation/ErrorPresentation.docc/ErrorPresentation.md#what-is-promised).
@Suite("P2, P3: a presenter's machine shows one error at a time, and its law holds")
struct PresenterMachineTests {
    @Test("one error is shown, the others wait in order, and what does not fit is counted")
    func order() {
        let machine = HeldPresenter(limit: 2)
        #expect(machine.add("a") == .shown(1))
        #expect(machine.add("b") == .waits(2))
        #expect(machine.add("c") == .waits(3))
        #expect(machine.add("d") == .discarded)
        #expect(machine.current?.message == "a" && machine.waiting == 2)
        #expect(machine.dismiss() == 1)
        #expect(machine.current?.message == "b" && machine.waiting == 1)
        #expect(machine.add("d") == .waits(4))
        #expect([machine.dismiss(), machine.dismiss()] == [2, 3])
        #expect(machine.current?.message == "d")
        #expect(machine.dismiss() == 4 && machine.dismiss() == nil)
        #expect(machine.statistics == .init(received: 5, shown: 4, discarded: 1))
    }

    @Test("P2: where there is no room, what was asked for takes the place of the newest that was not")
    func askedFor() {
        let machine = HeldPresenter(limit: 3)
        for name in ["shown", "a", "b", "c"] { _ = machine.add(name) }
        // The error stands for two now, one of which was asked for.
        #expect(machine.add("b", isAskedFor: true) == .folded(into: 3))
        #expect(machine.add("d", isAskedFor: true) == .waits(5))
        // An error that was replaced is new when it comes again, and finds no room.
        #expect(machine.add("c") == .discarded)
        #expect(machine.add("e", count: 2, canRetry: true) == .waits(6))
        #expect(machine.add("f", isAskedFor: true) == .discarded)
        #expect(machine.waiting == 3)
        #expect(machine.statistics == .init(received: 10, shown: 1, waiting: 3, folded: 2, discarded: 4))
        var messages: [String] = []
        while let current = machine.current {
            messages.append(current.message)
            _ = machine.dismiss()
        }
        #expect(messages == ["shown", "b", "d", "e"])
    }

    @Test("P2: an error that another replaces is counted as discarded, and its repeats as folded")
    func discardedRepeats() {
        let machine = HeldPresenter(limit: 1)
        _ = (machine.add("shown"), machine.add("a", count: 3))
        #expect(machine.add("b", isAskedFor: true) == .waits(3))
        #expect(machine.statistics == .init(received: 5, shown: 1, waiting: 1, folded: 2, discarded: 1))
    }

    @Test("repeats fold into the one that is shown or waits, also where there is no room; a later one is news")
    func folding() {
        let machine = HeldPresenter(limit: 1)
        _ = (machine.add("a"), machine.add("b"))
        #expect(machine.add("a", count: 3) == .folded(into: 1))
        #expect(machine.add("b") == .folded(into: 2))
        #expect(machine.current?.count == 4)
        _ = machine.dismiss()
        #expect(machine.current?.count == 2)
        #expect(machine.add("a") == .waits(3))
        #expect(machine.statistics == .init(received: 7, shown: 2, waiting: 1, folded: 4))
    }

    @Test("an error of another type, message, style or title is no repeat")
    func kinds() {
        let machine = HeldPresenter(limit: 9)
        _ = machine.add("a")
        #expect(machine.add("a", type: Silent.self) == .waits(2))
        #expect(machine.add("a", style: .banner) == .waits(3))
        #expect(machine.add("a", title: "Saving") == .waits(4))
        #expect(machine.add("a", title: "Saving") == .folded(into: 4))
    }

    @Test("an error that stands for several counts as so many: one shown, the others folded")
    func occurrences() {
        let machine = HeldPresenter(limit: 0)
        #expect(machine.add("a", count: 5) == .shown(1))
        #expect(machine.current?.count == 5)
        #expect(machine.add("b", count: 7) == .discarded)
        #expect(machine.statistics == .init(received: 12, shown: 1, folded: 4, discarded: 7))
    }

    @Test("a retry holds its error until it ends; a second tap does nothing")
    func retry() {
        let machine = HeldPresenter(limit: 9)
        _ = (machine.add("a", canRetry: true), machine.add("b", canRetry: true))
        #expect(machine.beginRetry() == 1)
        #expect(machine.beginRetry() == nil)
        #expect(machine.current?.message == "a")
        #expect(machine.endRetry() == 1)
        #expect(machine.current?.message == "b" && machine.beginRetry() == 2)
    }

    @Test("P3: retry and dismiss that name an error do nothing unless it is the one that is shown")
    func byNumber() {
        let machine = HeldPresenter(limit: 9)
        #expect(machine.dismiss(1) == nil && machine.beginRetry(1) == nil)
        _ = (machine.add("a", canRetry: true), machine.add("b", canRetry: true))
        #expect(machine.dismiss(2) == nil && machine.beginRetry(2) == nil)
        #expect(machine.beginRetry(1) == 1 && machine.endRetry() == 1)
        #expect(machine.beginRetry(1) == nil && machine.dismiss(1) == nil)
        #expect(machine.current?.id == 2 && machine.dismiss(2) == 2 && machine.current == nil)
    }

    @Test("a retry's failure is shown next, as a new error, though it is like the one before and others wait")
    func retryThatFails() {
        let machine = HeldPresenter(limit: 1)
        _ = (machine.add("a", canRetry: true), machine.add("b"))
        let retry = machine.beginRetry()
        #expect(machine.add("a", canRetry: true, asFailureOf: retry) == .waits(3))
        #expect(machine.add("c", asFailureOf: retry) == .discarded)
        #expect(machine.current?.id == 1 && machine.waiting == 2)
        #expect(machine.endRetry() == 1)
        #expect(machine.current?.id == 3 && machine.current?.count == 1 && machine.waiting == 1)
        _ = machine.dismiss()
        #expect(machine.current?.message == "b")
    }

    @Test("a retry's failure that is like one that waits is folded into that, which comes next")
    func retryThatFailsAsOthers() {
        let machine = HeldPresenter(limit: 9)
        _ = (machine.add("a", canRetry: true), machine.add("b"))
        let retry = machine.beginRetry()
        #expect(machine.add("a") == .waits(3))
        #expect(machine.add("a", canRetry: true, asFailureOf: retry) == .folded(into: 3))
        _ = machine.endRetry()
        #expect(machine.current?.id == 3 && machine.current?.count == 2 && machine.current?.canRetry == true)
    }

    @Test("an error dismissed during its retry stays away; a tap reaches no error; a failure then waits its turn")
    func dismissedDuringRetry() {
        let machine = HeldPresenter(limit: 9)
        _ = (machine.add("a", canRetry: true), machine.add("b", canRetry: true))
        let retry = machine.beginRetry()
        #expect(machine.dismiss() == 1)
        #expect(machine.current?.message == "b" && machine.beginRetry() == nil)
        #expect(machine.add("c") == .waits(3))
        #expect(machine.add("a", asFailureOf: retry) == .waits(4))
        #expect(machine.endRetry() == nil)
        #expect(machine.current?.message == "b" && machine.beginRetry() == 2)
    }

    @Test("P3: an error whose retry was cancelled stays, unless the retry failed first; one like it waits by itself")
    func cancelledRetry() {
        let machine = HeldPresenter(limit: 9)
        _ = (machine.add("a", canRetry: true), machine.add("b"))
        machine.cancelRetry(1)
        _ = machine.beginRetry()
        machine.cancelRetry(2)
        machine.cancelRetry(1)
        #expect(machine.retried == 1 && machine.beginRetry() == nil)
        #expect(machine.endRetry() == nil && machine.current?.id == 1)
        #expect(machine.add("a") == .folded(into: 1))
        _ = machine.beginRetry()
        #expect(machine.add("a") == .waits(3))
        machine.cancelRetry(1)
        #expect(machine.endRetry() == nil && machine.add("a") == .folded(into: 3))
        #expect(machine.beginRetry() == 1 && machine.add("c", asFailureOf: 1) == .waits(4))
        machine.cancelRetry(1)
        #expect(machine.endRetry() == 1 && machine.current?.id == 4)
    }

    @Test("whatever happens in whatever order, it is as a naive model has it, and the law holds", arguments: 0..<100)
    func model(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let limit = Int.random(in: 0...4, using: &random)
        let machine = HeldPresenter(limit: limit)
        var model = NaivePresenter(limit: limit)
        for step in 0..<300 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4:
                let message = ["a", "b", "c", "d", "e", "f"].randomElement(using: &random) ?? "a"
                let count = Int.random(in: 1...3, using: &random)
                let canRetry = Bool.random(using: &random)
                let isAskedFor = Bool.random(using: &random)
                let retry = Bool.random(using: &random) ? machine.retried : nil
                _ = machine.add(
                    message, count: count, canRetry: canRetry, isAskedFor: isAskedFor, asFailureOf: retry)
                model.add(message, count, canRetry, isAskedFor || canRetry, isOfRetry: retry != nil)
            case 5...6:
                _ = machine.dismiss()
                model.dismiss()
            case 7...8:
                if machine.retried == nil {
                    let begins = model.beginRetry()
                    #expect((machine.beginRetry() != nil) == begins)
                } else {
                    #expect(machine.beginRetry() == nil)
                    let isCancelled = Bool.random(using: &random)
                    if isCancelled, let retried = machine.retried { machine.cancelRetry(retried) }
                    _ = machine.endRetry()
                    model.endRetry(isCancelled: isCancelled)
                }
            default:
                machine.pass(2)
                model.counts.received += 2
                model.counts.never += 2
            }
            #expect(machine.current?.message == model.shown.first?.message, "seed \(seed), step \(step)")
            #expect(machine.current?.count == model.shown.first?.count)
            #expect(machine.current?.canRetry == model.shown.first?.canRetry)
            #expect(machine.waiting == model.waiting.count && machine.waiting <= limit + 1)
            #expect(machine.statistics == model.statistics && machine.statistics.isBalanced)
        }
    }
}

/// A machine that `#expect` may change, and the errors that it takes.
private final class HeldPresenter {
    private var machine: PresenterMachine

    init(limit: Int) { machine = PresenterMachine(limit: limit) }

    var current: PresentedError? { machine.current }
    var waiting: Int { machine.waiting }
    var retried: PresentedError.ID? { machine.retried }
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

    func pass(_ count: Int) {
        receive(count)
        machine.pass(count)
    }

    func dismiss(_ id: PresentedError.ID? = nil) -> PresentedError.ID? { machine.dismiss(id) }
    func beginRetry(_ id: PresentedError.ID? = nil) -> PresentedError.ID? { machine.beginRetry(id) }
    func cancelRetry(_ id: PresentedError.ID) { machine.cancelRetry(id) }
    func endRetry() -> PresentedError.ID? { machine.endRetry() }

    private func receive(_ count: Int) {
        machine.receive(.init(received: count, waiting: count))
        #expect(machine.statistics.isBalanced)
    }
}

/// A presenter's machine by lists that are searched from the front.
private struct NaivePresenter {
    struct Item {
        let message: String
        var count: Int
        var canRetry: Bool
        var isAskedFor: Bool
        var isRetried = false
        /// Whether the error stands for no other, since it was tried again.
        var isAlone = false
    }

    let limit: Int
    var shown: [Item] = []
    var waiting: [Item] = []
    var isRetrying = false
    var failedAgain = false
    /// Whether the retry under way has failed, also where its error was dismissed before.
    var retryHasFailed = false
    var counts = ErrorPresenter.Statistics()

    init(limit: Int) { self.limit = limit }

    var statistics: ErrorPresenter.Statistics {
        var statistics = counts
        statistics.waiting = waiting.count
        return statistics
    }

    mutating func add(_ message: String, _ count: Int, _ canRetry: Bool, _ isAskedFor: Bool, isOfRetry: Bool) {
        counts.received += count
        retryHasFailed = retryHasFailed || isOfRetry
        let goesFirst = isOfRetry && shown.first?.isRetried == true && !failedAgain
        if let index = shown.firstIndex(where: { $0.message == message && !$0.isAlone }) {
            counts.folded += count
            shown[index].count += count
            shown[index].canRetry = shown[index].canRetry || canRetry
        } else if let index = waiting.firstIndex(where: { $0.message == message }) {
            counts.folded += count
            waiting[index].count += count
            waiting[index].canRetry = waiting[index].canRetry || canRetry
            waiting[index].isAskedFor = waiting[index].isAskedFor || isAskedFor
            if goesFirst {
                waiting.insert(waiting.remove(at: index), at: 0)
                failedAgain = true
            }
        } else {
            let item = Item(message: message, count: count, canRetry: canRetry, isAskedFor: isAskedFor)
            if shown.isEmpty {
                shown = [item]
                counts.shown += 1
            } else if goesFirst {
                waiting.insert(item, at: 0)
                failedAgain = true
            } else if waiting.count - (failedAgain ? 1 : 0) < limit {
                waiting.append(item)
            } else if isAskedFor, let index = replaceable {
                waiting.remove(at: index)
                counts.discarded += 1
                waiting.append(item)
            } else {
                counts.discarded += count
                return
            }
            counts.folded += count - 1
        }
    }

    /// The newest that was not asked for; the failure of a retry has its place besides.
    private var replaceable: Int? {
        waiting.indices.last { !waiting[$0].isAskedFor && !(failedAgain && $0 == 0) }
    }

    mutating func dismiss() {
        guard !shown.isEmpty else { return }
        shown.removeFirst()
        failedAgain = false
        guard !waiting.isEmpty else { return }
        shown = [waiting.removeFirst()]
        counts.shown += 1
    }

    mutating func beginRetry() -> Bool {
        guard !isRetrying, shown.first?.canRetry == true else { return false }
        shown[0].isRetried = true
        shown[0].isAlone = true
        isRetrying = true
        return true
    }

    mutating func endRetry(isCancelled: Bool) {
        let stays = isCancelled && !retryHasFailed
        isRetrying = false
        retryHasFailed = false
        guard let retried = shown.first, retried.isRetried else { return }
        if stays {
            shown[0].isRetried = false
            shown[0].isAlone = waiting.contains { $0.message == retried.message }
        } else {
            dismiss()
        }
    }
}
