package import Testing

extension Trait where Self == ConditionTrait {
    /// The condition of tests that hold only on Linux.
    ///
    /// - Parameter reason: What differs on other systems.
    package static func onLinux(_ reason: Comment) -> Self {
        #if os(Linux)
            let isLinux = true
        #else
            let isLinux = false
        #endif
        return .enabled(if: isLinux, reason)
    }
}
