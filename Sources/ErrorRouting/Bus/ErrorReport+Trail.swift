extension ErrorReport {
    /// An error under the reported one: what it is, and what it says of itself.
    public struct TrailStep: Sendable, Hashable, CustomStringConvertible {
        /// The error's type, with its module.
        public let type: String
        /// What the error says of itself.
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
        ErrorChain(under: error).underlyingErrors.map { error in
            TrailStep(type: ErrorText.typeName(of: error), description: ErrorText.message(of: error))
        }
    }
}
