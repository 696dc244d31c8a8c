public import Foundation

// The declarations of Accessibility that ErrorPresentation uses, as Apple's interface has them; see SwiftUI.swift.

public enum AccessibilityNotification {
    public struct Announcement {
        public init(_ announcement: AttributedString) {}
        public init(_ announcement: String) {}
        public init(_ announcement: NSAttributedString) {}
        public func post() {}
    }
}
