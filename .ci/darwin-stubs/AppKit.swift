public import Foundation

// The declarations of AppKit that ErrorPresentation uses, written by hand and without their implementations. They were
// compared with Apple's headers; see SwiftUI.swift and UIKit.swift.

@MainActor open class NSResponder {
    public init() {}
}
@MainActor open class NSApplication: NSResponder {
    public struct ModalResponse: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public init(_ rawValue: Int) { self.rawValue = rawValue }
        public static let alertFirstButtonReturn = ModalResponse(1000)
        public static let abort = ModalResponse(-1001)
    }
}
@MainActor open class NSWindow: NSResponder {
    public nonisolated static let didBecomeMainNotification = Notification.Name("")
    public nonisolated static let willCloseNotification = Notification.Name("")
    open var sheetParent: NSWindow? { nil }
    open func endSheet(_ sheetWindow: NSWindow, returnCode: NSApplication.ModalResponse) {}
}
@MainActor open class NSButton: NSResponder {}
@MainActor open class NSAlert {
    public init() {}
    open var messageText = ""
    open var informativeText = ""
    @discardableResult open func addButton(withTitle title: String) -> NSButton { NSButton() }
    open var window: NSWindow { NSWindow() }
    open func beginSheetModal(
        for sheetWindow: NSWindow, completionHandler handler: ((NSApplication.ModalResponse) -> Void)? = nil
    ) {}
}
