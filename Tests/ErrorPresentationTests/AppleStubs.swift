import TestSupport

/// Declarations for the snippets of the page about apps, by the names of modules that exist only on Apple's platforms.
///
/// They are written by hand and have no implementations. The page's code is type-checked against them. Those of `os` and
/// `CoreLocation` are from memory.
func appleStubs() throws -> [String: String] {
    var stubs = ["CoreLocation": coreLocation, "os": os]
    for module in ["Accessibility", "SwiftUI", "UIKit"] {
        stubs[module] = try Markdown.text(of: ".ci/darwin-stubs/\(module).swift")
    }
    return stubs
}

/// The declarations of Sentry and Crashlytics that their page uses, after `SentrySDK.swift` and `SentryScope.h` of
/// sentry-cocoa, and `FIRCrashlytics.h` of the Firebase SDK, with the overloads that the code could mean too.
let crashReporterStubs = ["Sentry": sentry, "FirebaseCrashlytics": crashlytics]

private let sentry = """
    public import Foundation

    open class SentryId: NSObject {}
    open class Scope: NSObject {
        open func setFingerprint(_ fingerprint: [String]?) {}
        open func setTag(value: String, key: String) {}
        open func setContext(value: [String: Any], key: String) {}
    }
    public final class SentrySDK: NSObject {
        @discardableResult public static func capture(error: any Error) -> SentryId { SentryId() }
        @discardableResult public static func capture(error: any Error, scope: Scope) -> SentryId { SentryId() }
        @discardableResult public static func capture(error: any Error, attachAllThreads: Bool) -> SentryId { SentryId() }
        @discardableResult public static func capture(
            error: any Error, block: @escaping (Scope) -> Void
        ) -> SentryId { SentryId() }
    }
    """

private let crashlytics = """
    public import Foundation

    open class Crashlytics: NSObject {
        public static func crashlytics() -> Crashlytics { Crashlytics() }
        open func record(error: any Error) {}
        open func record(error: any Error, userInfo: [String: Any]?) {}
    }
    """

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
