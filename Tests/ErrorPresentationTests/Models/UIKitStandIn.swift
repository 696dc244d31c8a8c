/// The source of a module `UIKit` that presents and dismisses view controllers, for a program on Linux.
///
/// Unlike the declarations that the sources are type-checked against, it has the behavior that `ErrorAlerts` relies on:
/// a view controller presents only one other controller, a presentation can be refused, a controller that disappears
/// takes along what it presents, and an action's handler runs after its alert has disappeared.
let uiKitStandIn = """
    public import Foundation

    @MainActor open class UIResponder {
        public init() {}
    }
    @MainActor open class UIScene: UIResponder {
        public nonisolated static let didActivateNotification = Notification.Name("didActivate")
        public nonisolated static let willDeactivateNotification = Notification.Name("willDeactivate")
        public nonisolated static let didDisconnectNotification = Notification.Name("didDisconnect")
    }
    @MainActor open class UIWindowScene: UIScene {}
    @MainActor open class UIWindow: UIResponder {
        open var rootViewController: UIViewController?
        open weak var windowScene: UIWindowScene?
    }
    @MainActor open class UIViewController: UIResponder {
        public private(set) var presentedViewController: UIViewController?
        public private(set) weak var presentingViewController: UIViewController?
        public private(set) var isBeingDismissed = false
        public var refuses = false
        public private(set) var refusals = 0

        open func present(_ controller: UIViewController, animated: Bool, completion: (() -> Void)? = nil) {
            if refuses || presentedViewController != nil {
                refusals += 1
                return
            }
            presentedViewController = controller
            controller.presentingViewController = self
            completion?()
        }

        open func dismiss(animated: Bool, completion: (@MainActor () -> Void)? = nil) {
            guard let presented = presentedViewController else {
                presentingViewController?.dismiss(animated: animated, completion: completion)
                return
            }
            presented.isBeingDismissed = true
            Task { @MainActor in
                presented.disappear()
                presentedViewController = nil
                completion?()
            }
        }

        private func disappear() {
            presentedViewController?.disappear()
            (presentedViewController, presentingViewController, isBeingDismissed) = (nil, nil, false)
        }
    }
    @MainActor public final class UIAlertController: UIViewController {
        public enum Style: Sendable { case alert }
        public let title: String?
        public private(set) var actions: [UIAlertAction] = []
        public init(title: String?, message: String?, preferredStyle: Style) { self.title = title }
        public func addAction(_ action: UIAlertAction) { actions.append(action) }

        /// Performs the user's action.
        public func tap(_ title: String) {
            guard let action = actions.first(where: { $0.title == title }) else { fatalError("no action \\(title)") }
            presentingViewController?.dismiss(animated: true) { action.handler?(action) }
        }
    }
    @MainActor public final class UIAlertAction {
        public enum Style: Sendable { case `default`, cancel }
        public let title: String?
        fileprivate let handler: ((UIAlertAction) -> Void)?
        public init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) {
            (self.title, self.handler) = (title, handler)
        }
    }
    """

/// A program that shows alerts with `ErrorAlerts`, and prints what is on the screen.
let alertsProgram = """
    import ErrorPresentation
    import ErrorRouting
    import Foundation
    import UIKit

    struct Plain: LocalizedError {
        let errorDescription: String?
        init(_ text: String) { errorDescription = text }
    }

    @main @MainActor
    struct Program {
        let window = UIWindow()
        let root = UIViewController()
        let bus = ErrorBus(handler: ErrorHandler())
        let alerts: ErrorAlerts

        init() {
            LastResort.setForProcess(LastResort { _ in })
            window.rootViewController = root
            alerts = ErrorAlerts(over: window, of: bus)
        }

        var shown: UIAlertController? {
            var top = root
            while let next = top.presentedViewController { top = next }
            return top as? UIAlertController
        }

        /// Waits for an alert and prints its title; ends the program if another alert is shown for too long.
        func expect(_ title: String?) async {
            await wait { shown?.title == title }
            print(shown?.title ?? "none")
        }

        func wait(for condition: () -> Bool) async {
            let end = ContinuousClock.now + .seconds(30)
            while !condition() {
                if ContinuousClock.now > end { fatalError("shown: \\(shown?.title ?? "none")") }
                await Task.yield()
            }
        }

        static func main() async {
            let program = Program()
            let running = Task { await program.bus.run() }
            let (root, presenter) = (program.root, program.alerts.presenter)
            print("dismissed in code:")
            presenter.present(Plain("a"))
            await program.expect("a")
            presenter.dismiss()
            await program.expect(nil)
            print("refused:")
            root.refuses = true
            for text in ["b", "c"] { presenter.present(Plain(text)) }
            await program.wait { root.refusals > 0 }
            await program.expect(nil)
            root.refuses = false
            await program.expect("b")
            program.shown?.tap("OK")
            await program.expect("c")
            program.shown?.tap("OK")
            await program.expect(nil)
            print("gone with the view controller below:")
            let sheet = UIViewController()
            root.present(sheet, animated: true)
            presenter.present(Plain("d"))
            await program.expect("d")
            print(sheet.presentedViewController == nil ? "over the root" : "over the sheet")
            root.dismiss(animated: true)
            await program.expect(nil)
            await program.expect("d")
            print(root.presentedViewController === program.shown ? "over the root" : "elsewhere")
            program.shown?.tap("OK")
            await program.expect(nil)
            print("tried again:")
            var attempts = 0
            await presenter.run(failureTitle: "Saving", errors: program.bus) {
                attempts += 1
                if attempts == 1 { throw Plain("e") }
            }
            await program.expect("Saving")
            program.shown?.tap("Try again")
            await program.expect(nil)
            await program.wait { attempts == 2 && !presenter.isRetrying }
            print(attempts)
            program.bus.finish()
            await running.value
        }
    }
    """
