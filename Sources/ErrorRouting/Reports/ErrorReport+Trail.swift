extension ErrorReport {
    /// An error under the reported one: what it is, and what it says of itself.
    public struct TrailStep: Sendable, Hashable, CustomStringConvertible {
        /// The error's type, with its module; see ``ErrorReport/typeName``.
        public let typeName: String
        /// What the error says of itself; see ``ErrorReport/message``.
        public let message: String
        /// What the error has in common with others of its kind: type and code, the same in every run.
        public let fingerprint: String

        /// Describes a step, for tests and fakes.
        ///
        /// - Parameters:
        ///   - typeName: The error's type, with its module.
        ///   - message: What the error says of itself.
        ///   - fingerprint: What it has in common with others of its kind.
        public init(typeName: String, message: String, fingerprint: String) {
            self.typeName = typeName
            self.message = message
            self.fingerprint = fingerprint
        }

        /// Type and message: `Intake.Declined: declined(code: 51)`.
        public var description: String { "\(typeName): \(message)" }
    }

    /// The errors under the reported one, from the outside in: what it came from.
    ///
    /// In the order in which ``ErrorMatcher/anywhere(_:)`` visits them, breadth first, without the reported error
    /// itself, and at most 63. Computed whenever it is asked for.
    ///
    /// - Complexity: O(number of errors and of their fields).
    public var trail: [TrailStep] {
        underlyingErrors.map { error in
            TrailStep(
                typeName: ErrorText.typeName(of: error),
                message: OneLine.escaped(ErrorText.message(of: error)),
                fingerprint: ErrorFingerprint.text(of: error)
            )
        }
    }

    /// The errors of the trail.
    var underlyingErrors: [any Error] { ErrorChain(under: error).underlyingErrors }
}
