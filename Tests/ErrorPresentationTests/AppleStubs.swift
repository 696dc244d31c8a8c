/// Declarations for the app page's snippets, by the names of modules that exist only on Apple's platforms.
///
/// They have Apple's signatures but no implementations. The page's code is type-checked against them.
let appleStubs = ["CoreLocation": coreLocation, "UIKit": uiKit, "os": os]

private let coreLocation = """
    public import Foundation

    public let kCLErrorDomain = "kCLErrorDomain"
    open class CLLocationManager: NSObject {}
    public protocol CLLocationManagerDelegate: NSObjectProtocol {
        func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
    }
    """

private let os = """
    public struct OSLogPrivacy: Sendable {
        public static var `public`: OSLogPrivacy { OSLogPrivacy() }
        public static var `private`: OSLogPrivacy { OSLogPrivacy() }
        public static var auto: OSLogPrivacy { OSLogPrivacy() }
    }
    public struct OSLogInterpolation: StringInterpolationProtocol {
        public init(literalCapacity: Int, interpolationCount: Int) {}
        public mutating func appendLiteral(_ literal: String) {}
        public mutating func appendInterpolation(
            _ value: @autoclosure @escaping () -> String, privacy: OSLogPrivacy = .auto
        ) {}
        public mutating func appendInterpolation<T: CustomStringConvertible>(
            _ value: @autoclosure @escaping () -> T, privacy: OSLogPrivacy = .auto
        ) {}
    }
    public struct OSLogMessage: ExpressibleByStringInterpolation {
        public init(stringLiteral value: String) {}
        public init(stringInterpolation: OSLogInterpolation) {}
    }
    public struct Logger: Sendable {
        public init(subsystem: String, category: String) {}
        public func error(_ message: OSLogMessage) {}
        public func fault(_ message: OSLogMessage) {}
    }
    """

private let uiKit = """
    public import Foundation

    // It isn't an `NSObject`: only on Apple's platforms can a main-actor class override that initializer.
    @MainActor open class UIResponder {
        public init() {}
    }
    @MainActor open class UIScene: UIResponder {
        @MainActor open class ConnectionOptions: NSObject {}
    }
    @MainActor open class UISceneSession: NSObject {}
    @MainActor public protocol UISceneDelegate: AnyObject {
        func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions)
    }
    @MainActor public protocol UIWindowSceneDelegate: UISceneDelegate {
        var window: UIWindow? { get set }
    }
    @MainActor open class UIWindow: UIResponder {
        open var rootViewController: UIViewController?
    }
    @MainActor open class UIViewController: UIResponder {
        open var presentedViewController: UIViewController? { nil }
        open func present(_ controller: UIViewController, animated: Bool, completion: (() -> Void)? = nil) {}
    }
    @MainActor open class UIAlertController: UIViewController {
        public enum Style { case actionSheet, alert }
        public convenience init(title: String?, message: String?, preferredStyle: Style) { self.init() }
        open func addAction(_ action: UIAlertAction) {}
    }
    @MainActor open class UIAlertAction: NSObject {
        public enum Style { case `default`, cancel, destructive }
        public convenience init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) { self.init() }
    }
    """
