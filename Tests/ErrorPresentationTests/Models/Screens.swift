import ErrorRouting
import ErrorRoutingTesting
import TestSupport

@testable import ErrorPresentation

/// Windows with sheets that show alerts as SwiftUI does, and a plain model of which window shows which error.
///
/// A view changes its alert only when it is updated, which can happen at any later time.
@MainActor
final class Screens {
    /// A root view, or the content of a sheet, with the alert that is on its screen.
    @MainActor private final class View {
        let place = ErrorPlace()
        var alert: PresentedError?
        /// The turn at the last update.
        var turn = -1
        var isOnScreen = true
    }

    @MainActor private final class Window {
        let presenter = ErrorPresenter(rules: .alerts)
        /// The root view and the sheets above it.
        var views = [View()]
        var line: [Item] = []
        var isActive = true

        var front: View? { views.last { $0.isOnScreen } }
        var isInFront: Bool { isActive && front != nil }
    }

    /// An error in the model.
    private struct Item {
        let text: String
        let isFromBus: Bool
    }

    private let shared = SharedBus()
    private var random: SplitMix64
    private var windows: [Window] = []
    /// The windows that are in front, in the order in which they came to the front.
    private var order: [Window] = []
    /// The bus's errors that are waiting for a window.
    private var held: [Item] = []
    private var posted = 0
    /// The errors of the users' own actions in windows that were closed.
    private var closed: Set<String> = []
    private(set) var answered: [String] = []
    private(set) var fault: String?

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    // MARK: Steps

    func step() -> String {
        let what = change()
        checkOnce()
        // Sometimes several changes happen before the views are updated.
        if Int.random(in: 0..<3, using: &random) > 0 {
            update()
            checkModel()
        }
        return what
    }

    private func change() -> String {
        guard let window = windows.randomElement(using: &random) else { return openWindow() }
        switch Int.random(in: 0..<16, using: &random) {
        case 0: return windows.count < 3 ? openWindow() : closeWindow(window)
        case 1...2: return openSheet(window)
        case 3: return closeSheet(window)
        case 4: return swapSheet(window)
        case 5: return hideOrShowRoot(window)
        case 6...7: return changeScene(window)
        case 8...10: return post()
        case 11: return present(window)
        case 12: return closeUnanswered(window)
        default: return answer(window)
        }
    }

    private func openWindow() -> String {
        let window = Window()
        windows.append(window)
        // The order of a view's first callbacks isn't documented.
        if Bool.random(using: &random) {
            window.views[0].place.appear(in: window.presenter)
            share(window)
        } else {
            share(window)
            window.views[0].place.appear(in: window.presenter)
        }
        noteOrder()
        return "opened a window"
    }

    private func share(_ window: Window) {
        window.presenter.shared.append(shared)
        window.presenter.updateWindow()
    }

    private func closeWindow(_ window: Window) -> String {
        for view in window.views.shuffled(using: &random) { remove(view) }
        windows.removeAll { $0 === window }
        closed.formUnion(window.line.filter { !$0.isFromBus }.map(\.text))
        order.removeAll { $0 === window }
        removeBusErrors(window, includesShown: true)
        return "closed a window"
    }

    private func remove(_ view: View) {
        view.isOnScreen = false
        view.alert = nil
        view.place.disappear()
    }

    private func openSheet(_ window: Window) -> String {
        let view = View()
        window.views.append(view)
        view.place.appear(in: window.presenter)
        noteOrder()
        return "opened a sheet"
    }

    private func closeSheet(_ window: Window) -> String {
        guard window.views.count > 1 else { return "no sheet" }
        remove(window.views.remove(at: Int.random(in: 1..<window.views.count, using: &random)))
        noteOrder()
        return "closed a sheet"
    }

    private func swapSheet(_ window: Window) -> String {
        guard window.views.count > 1, let former = window.views.last else { return "no sheet" }
        let isNewFirst = Bool.random(using: &random)
        if isNewFirst { _ = openSheet(window) }
        window.views.removeAll { $0 === former }
        remove(former)
        noteOrder()
        if !isNewFirst { _ = openSheet(window) }
        return "swapped a sheet"
    }

    private func hideOrShowRoot(_ window: Window) -> String {
        let root = window.views[0]
        if root.isOnScreen {
            remove(root)
        } else {
            root.isOnScreen = true
            root.place.appear(in: window.presenter)
        }
        noteOrder()
        return "root on screen: \(root.isOnScreen)"
    }

    private func changeScene(_ window: Window) -> String {
        window.isActive.toggle()
        window.presenter.isActive = window.isActive
        noteOrder()
        return "scene active: \(window.isActive)"
    }

    private func post() -> String {
        posted += 1
        _ = shared.inbox.receive(ErrorReport(error: Plain("bus \(posted)"), source: .init()))
        shared.deliver()
        held.append(Item(text: "bus \(posted)", isFromBus: true))
        passHeld()
        return "posted"
    }

    private func present(_ window: Window) -> String {
        posted += 1
        window.presenter.present(Plain("own \(posted)"))
        window.line.append(Item(text: "own \(posted)", isFromBus: false))
        return "presented"
    }

    private func answer(_ window: Window) -> String {
        guard let view = window.views.first(where: { $0.alert != nil }), let error = view.alert else {
            return "no alert"
        }
        // The user might tap while the alert is about to be closed. The tap still counts as an answer.
        window.presenter.dismiss(error)
        close(view)
        answered.append(error.message)
        let isFirst = window.line.first?.text == error.message
        window.line.removeAll { $0.text == error.message }
        return "answered \(error.message)\(isFirst ? "" : ", late")"
    }

    private func closeUnanswered(_ window: Window) -> String {
        guard let view = window.views.first(where: { $0.alert != nil }) else { return "no alert" }
        close(view)
        return "closed an alert without an answer"
    }

    /// Closes an alert, and writes to its binding, as SwiftUI does.
    private func close(_ view: View) {
        view.alert = nil
        if view.place.alert != nil { view.place.alertDidClose() }
    }

    /// Updates all views until nothing changes.
    private func update() {
        for _ in 0..<20 {
            var isChanged = false
            for view in windows.flatMap(\.views).filter(\.isOnScreen).shuffled(using: &random) {
                let (turn, alert) = (view.place.turn, view.place.alert)
                if view.alert?.id != alert?.id { (view.alert, isChanged) = (alert, true) }
                checkOnce()
                if turn == view.turn { continue }
                (view.turn, isChanged) = (turn, true)
                if view.place.alert == nil { view.place.alertDidClose() }
            }
            if !isChanged { return }
        }
        fault = "the views are updated without end"
    }

    // MARK: The model

    /// Updates the order of the windows in front, and passes unseen errors to the last window.
    private func noteOrder() {
        let former = order.last
        order.removeAll { !$0.isInFront }
        for window in windows where window.isInFront && !order.contains(where: { $0 === window }) {
            order.append(window)
        }
        for window in windows where window.front == nil { removeBusErrors(window, includesShown: true) }
        if let former, former !== order.last { removeBusErrors(former, includesShown: false) }
        passHeld()
    }

    private func removeBusErrors(_ window: Window, includesShown: Bool) {
        let kept = window.line.enumerated().filter { !$1.isFromBus || !includesShown && $0 == 0 }.map(\.element)
        let given = window.line.filter { item in !kept.contains { $0.text == item.text } }
        window.line = kept
        held = given + held
        passHeld()
    }

    private func passHeld() {
        guard let front = order.last else { return }
        front.line += held
        held = []
    }

    // MARK: Invariants

    /// Checks that no error is on screen twice or after its answer, and that no window shows two alerts.
    private func checkOnce() {
        for window in windows where window.views.count(where: { $0.alert != nil }) > 1 {
            fault = "two alerts in one window"
        }
        let shown = windows.flatMap(\.views).compactMap(\.alert?.message)
        if Set(shown).count < shown.count { fault = "shown twice: \(shown)" }
        if let again = shown.first(where: answered.contains) { fault = "shown after its answer: \(again)" }
    }

    /// Checks that each window shows the first error in its queue, in the view that is in front.
    private func checkModel() {
        for (index, window) in windows.enumerated() {
            let shown = window.views.compactMap(\.alert?.message)
            let expected = window.front == nil ? [] : window.line.prefix(1).map(\.text)
            if shown != expected { fault = "window \(index) shows \(shown), and not \(expected)" }
            if !shown.isEmpty, window.front?.alert == nil { fault = "shown behind another view" }
            if !window.presenter.isSound { fault = "\(window.presenter.statistics)" }
        }
    }

    /// Answers all alerts and returns which errors were lost or answered twice.
    func end() -> String? {
        if windows.isEmpty { _ = openWindow() }
        for window in windows {
            if window.front == nil { _ = hideOrShowRoot(window) }
            if !window.isActive { _ = changeScene(window) }
        }
        update()
        checkModel()
        for _ in 0...posted {
            for window in windows { _ = answer(window) }
            update()
            checkModel()
        }
        if let fault { return fault }
        let all = answered + closed.subtracting(answered)
        if Set(all).count != all.count { return "answered twice: \(answered)" }
        return all.count == posted ? nil : "\(posted) errors, of which \(all.count) were answered"
    }
}
