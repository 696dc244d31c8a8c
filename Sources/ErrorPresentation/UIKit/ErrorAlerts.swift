#if canImport(UIKit) && !os(watchOS) || canImport(AppKit)
    public import ErrorRouting
    import Foundation
    import Observation

    #if canImport(UIKit)
        public import UIKit
    #else
        public import AppKit
    #endif

    /// Shows the failures of a bus and of the user's own actions as alerts over a UIKit or AppKit window.
    ///
    /// ```swift
    /// alerts = ErrorAlerts(over: window, of: bus)  // shows alerts while it is retained
    /// …
    /// await alerts.presenter.run(failureTitle: "The cart could not be saved") { try await cart.save() }
    /// ```
    ///
    /// An alert has the same texts and buttons as in SwiftUI. If UIKit refuses to present an alert, or if the alert
    /// disappears unanswered with the view controller below it, the alert is shown again within two seconds. It is
    /// closed if its error is dismissed. Banners aren't shown: to show them yourself, read ``ErrorPresenter/banner``
    /// from the ``presenter``.
    ///
    /// The class hasn't been run on an Apple platform; it is only type-checked against hand-written declarations of
    /// UIKit and AppKit.
    @MainActor
    public final class ErrorAlerts {
        #if canImport(UIKit)
            /// The type of the window.
            public typealias Window = UIWindow
            private typealias Alert = UIAlertController
        #else
            /// The type of the window.
            public typealias Window = NSWindow
            private typealias Alert = NSAlert
        #endif

        /// The window's presenter, which can run the user's own actions.
        public let presenter: ErrorPresenter
        private weak var window: Window?
        private let place = ErrorPlace()
        private let observers = Observers()
        /// The current error's ID and its alert, which might not be on screen.
        private var shown: (id: PresentedError.ID, alert: Alert)?

        /// Shows a bus's failures over a window.
        ///
        /// - Parameters:
        ///   - window: The window below the alerts. It isn't retained.
        ///   - bus: The bus to observe. If several windows observe the bus, the window that became active last shows
        ///     the bus's failures.
        ///   - rules: How errors are shown. By default, only failures of the user's own actions are shown, as alerts.
        ///   - texts: The texts to show instead of the errors' own texts.
        public init(
            over window: Window, of bus: ErrorBus, rules: ErrorMap<PresentationStyle> = .default,
            texts: ErrorMap<PresentedText?> = ErrorMap(default: nil)
        ) {
            presenter = ErrorPresenter(rules: rules, texts: texts)
            self.window = window
            place.appear(in: presenter)
            presenter.share(bus)
            observe()
            follow()
        }

        /// Updates the alert now and after each change of the place's alert.
        private func follow() {
            // `onChange` is called once, before the change, so read the new alert in a task.
            withObservationTracking {
                _ = (place.turn, place.alert)
            } onChange: { [weak self] in
                Task { @MainActor in self?.follow() }
            }
            update()
        }

        /// Shows the alert that is due, or closes an alert that isn't due any more.
        private func update() {
            let error = place.alert
            if let shown {
                if shown.id != error?.id { dismiss(shown.alert) }
            } else if let error {
                let alert = present(error)
                shown = (error.id, alert)
                watch(alert)
            }
        }

        /// Records that an alert has closed and shows the next alert.
        private func didClose(_ alert: Alert) {
            guard shown?.alert === alert else { return }
            shown = nil
            // Report the closing twice if the user didn't answer: then the place shows the error again.
            if place.alert != nil { place.alertDidClose() }
            place.alertDidClose()
            update()
        }

        /// Checks whether an alert is on screen: UIKit might refuse it, or it might disappear with the view below it.
        ///
        /// An alert counts as closed only after two checks in a row, because a button's handler is called only when the
        /// alert has already disappeared.
        private func watch(_ alert: Alert) {
            Task { [weak self] in
                var looks = 0
                while looks < 2 {
                    // error-audit: harmless, because this task is never cancelled
                    try? await sleep(for: .seconds(0.75))
                    guard let self, shown?.alert === alert else { return }
                    looks = isOnScreen(alert) ? 0 : looks + 1
                }
                self?.didClose(alert)
            }
        }

        private struct Choice {
            let title: String
            var isCancel = false
            let action: @MainActor (ErrorPresenter) async -> Void
        }

        private func choices(for error: PresentedError) -> [Choice] {
            let options = error.recoveryOptions.enumerated().map { index, option in
                Choice(title: option) { await $0.recover(error, option: index) }
            }
            let retry = Choice(title: localized("Try again")) { await $0.retry(error) }
            return (error.canRetry ? [retry] : []) + options
                + [Choice(title: localized("OK"), isCancel: true) { $0.dismiss(error) }]
        }

        private func localized(_ title: String) -> String {
            Bundle.main.localizedString(forKey: title, value: nil, table: nil)
        }

        private func text(of error: PresentedError) -> String {
            [error.title == nil ? nil : error.message, error.recoverySuggestion].compactMap(\.self)
                .joined(separator: "\n")
        }

        /// Performs a button's action, while the next alert can already be shown.
        private func perform(_ choice: Choice, _ error: PresentedError, _ alert: Alert) {
            presenter.close(error)
            Task { await choice.action(presenter) }
            didClose(alert)
        }

        #if canImport(UIKit)
            private func present(_ error: PresentedError) -> Alert {
                let alert = UIAlertController(
                    title: error.title ?? error.message, message: text(of: error), preferredStyle: .alert)
                for choice in choices(for: error) {
                    alert.addAction(
                        UIAlertAction(title: choice.title, style: choice.isCancel ? .cancel : .default) {
                            [weak self, weak alert] _ in
                            if let self, let alert { perform(choice, error, alert) }
                        })
                }
                guard var top = window?.rootViewController else { return alert }
                while let next = top.presentedViewController, !next.isBeingDismissed { top = next }
                top.present(alert, animated: true)
                return alert
            }

            private func isOnScreen(_ alert: Alert) -> Bool { alert.presentingViewController != nil }

            private func dismiss(_ alert: Alert) {
                guard isOnScreen(alert) else { return didClose(alert) }
                alert.dismiss(animated: true) { [weak self] in self?.didClose(alert) }
            }

            private func observe() {
                observers.add(UIScene.didActivateNotification) { [weak self] scene in
                    self?.sceneChanged(scene) { $0.presenter.isActive = true }
                }
                observers.add(UIScene.willDeactivateNotification) { [weak self] scene in
                    self?.sceneChanged(scene) { $0.presenter.isActive = false }
                }
                observers.add(UIScene.didDisconnectNotification) { [weak self] scene in
                    self?.sceneChanged(scene) { $0.place.disappear() }
                }
            }

            private func sceneChanged(_ scene: ObjectIdentifier?, _ change: (ErrorAlerts) -> Void) {
                if scene == window?.windowScene.map({ ObjectIdentifier($0) }) { change(self) }
            }
        #else
            private func present(_ error: PresentedError) -> Alert {
                let alert = NSAlert()
                (alert.messageText, alert.informativeText) = (error.title ?? error.message, text(of: error))
                let choices = choices(for: error)
                for choice in choices { alert.addButton(withTitle: choice.title) }
                guard let window else { return alert }
                alert.beginSheetModal(for: window) { [weak self] response in
                    let index = response.rawValue - NSApplication.ModalResponse.alertFirstButtonReturn.rawValue
                    if choices.indices.contains(index) {
                        self?.perform(choices[index], error, alert)
                    } else {
                        self?.didClose(alert)
                    }
                }
                return alert
            }

            private func isOnScreen(_ alert: Alert) -> Bool { alert.window.sheetParent != nil }

            private func dismiss(_ alert: Alert) {
                guard let parent = alert.window.sheetParent else { return didClose(alert) }
                parent.endSheet(alert.window, returnCode: .abort)
            }

            private func observe() {
                observers.add(NSWindow.didBecomeMainNotification) { [weak self] window in
                    guard let self, window == self.window.map({ ObjectIdentifier($0) }) else { return }
                    place.appear(in: presenter)
                    // Deactivate and activate the window, so that it counts as the window that became active last.
                    for isActive in [false, true] { presenter.isActive = isActive }
                }
                observers.add(NSWindow.willCloseNotification) { [weak self] window in
                    guard let self, window == self.window.map({ ObjectIdentifier($0) }) else { return }
                    place.disappear()
                }
            }
        #endif
    }

    /// Observes notifications on the main thread until it is released.
    private final class Observers {
        private var tokens: [any NSObjectProtocol] = []

        func add(_ name: Notification.Name, _ action: @escaping @MainActor (_ object: ObjectIdentifier?) -> Void) {
            tokens.append(
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { notification in
                    let object = notification.object.map { ObjectIdentifier($0 as AnyObject) }
                    MainActor.assumeIsolated { action(object) }
                })
        }

        deinit {
            for token in tokens { NotificationCenter.default.removeObserver(token) }
        }
    }
#endif
