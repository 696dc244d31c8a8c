// The declarations of Accessibility that ErrorPresentation uses; see SwiftUI.swift.

public enum AccessibilityNotification {
    public struct Announcement {
        public init(_ announcement: String) {}
        public func post() {}
    }
}
