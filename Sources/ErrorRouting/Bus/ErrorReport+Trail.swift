extension ErrorReport {
    /// An error under the reported one: what it is, and what it says of itself.
    public struct TrailStep: Sendable, Hashable, CustomStringConvertible {
        /// The error's type, with its module.
        public let type: String
        /// What the error says of itself; in a ``ErrorReport/trail`` at most 16 KiB of it.
        public let description: String

        /// Describes a step, for tests and fakes.
        ///
        /// - Parameters:
        ///   - type: The error's type, with its module.
        ///   - description: What the error says of itself.
        public init(type: String, description: String) {
            self.type = type
            self.description = description
        }
    }

    /// The errors under the reported one, from the outside in: what it came from.
    ///
    /// In the order in which ``ErrorMatcher/anywhere(_:)`` visits them, breadth first, without the reported error
    /// itself, and at most 63. Computed whenever it is asked for.
    ///
    /// - Complexity: O(number of errors and of their fields).
    public var trail: [TrailStep] {
        underlyingErrors.map { error in
            let message = BoundedText.cut(ErrorText.message(of: error), to: OneLine.limit)
            return TrailStep(type: ErrorText.typeName(of: error), description: message)
        }
    }

    /// The errors of the trail.
    var underlyingErrors: [any Error] { ErrorChain(under: error).underlyingErrors }
}
