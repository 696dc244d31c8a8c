public import Foundation

// The declarations of UIKit that ErrorPresentation and its page on apps use, written by hand and without their
// implementations. They were compared with Apple's headers; see SwiftUI.swift and the page that it names. Apple's
// classes inherit from `NSObject` and these don't: on Linux, a main-actor class can't override its initializer.

@MainActor open class UIResponder {
    public init() {}
}
@MainActor open class UIScene: UIResponder {
    @MainActor open class ConnectionOptions: NSObject {}
    public nonisolated static let didActivateNotification = Notification.Name("")
    public nonisolated static let willDeactivateNotification = Notification.Name("")
    public nonisolated static let didDisconnectNotification = Notification.Name("")
}
@MainActor open class UIWindowScene: UIScene {}
@MainActor open class UISceneSession: NSObject {}
// The members of both protocols are optional there, which needs Objective-C.
@MainActor public protocol UISceneDelegate: AnyObject {
    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions)
}
@MainActor public protocol UIWindowSceneDelegate: UISceneDelegate {
    var window: UIWindow? { get set }
}
@MainActor open class UIWindow: UIResponder {
    open var rootViewController: UIViewController?
    open weak var windowScene: UIWindowScene?
}
@MainActor open class UIViewController: UIResponder {
    open var presentedViewController: UIViewController? { nil }
    open var presentingViewController: UIViewController? { nil }
    open var isBeingDismissed: Bool { false }
    open func present(_ controller: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil) {}
    open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {}
}
@MainActor open class UIAlertController: UIViewController {
    public enum Style: Int, Sendable { case actionSheet, alert }
    public convenience init(title: String?, message: String?, preferredStyle: Style) { self.init() }
    open func addAction(_ action: UIAlertAction) {}
}
@MainActor open class UIAlertAction: NSObject {
    public enum Style: Int, Sendable { case `default`, cancel, destructive }
    public convenience init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) { self.init() }
}
