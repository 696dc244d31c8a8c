import BoundedDescriptions

extension ErrorReport {
    /// An underlying error of the reported error: its type, message, and fingerprint.
    public struct TrailStep: Sendable, Hashable, CustomStringConvertible {
        /// The name of the error's type, with its module; see ``ErrorReport/typeName``.
        public let typeName: String
        /// The error's message; see ``ErrorReport/message``.
        public let message: String
        /// The error's type with the first of these that the error has: a case, a domain and a code, its own kind.
        ///
        /// A kind from a bus's map isn't included: a replay, which has no map, compares the fingerprint with a rebuilt
        /// error's fingerprint.
        public let fingerprint: String

        /// The type's name and the message: `Intake.Declined: declined(code: 51)`.
        public var description: String { "\(typeName): \(message)" }
    }

    /// The underlying errors of the reported error, from the outermost to the innermost.
    ///
    /// They are in the order in which ``ErrorMatcher/anywhere(_:)`` visits them, breadth first. The reported error
    /// itself is not included. The trail contains at most 63 errors.
    ///
    /// - Complexity: O(number of underlying errors and their fields); computed on each access.
    public var trail: [TrailStep] { trail(nil) }

    /// Returns the trail, using the fields of the reported error if they were already read.
    func trail(_ fields: ReflectedFields?) -> [TrailStep] {
        underlyingErrors(fields).map { error in
            let described = described(error)
            return TrailStep(
                typeName: described.typeName, message: OneLine.escaped(described.message),
                fingerprint: described.fingerprintForReplay)
        }
    }

    /// Returns the underlying errors, using the fields like ``trail(_:)``.
    func underlyingErrors(_ fields: ReflectedFields? = nil) -> [any Error] {
        let errors = PerThread.inUserCode {
            UnderlyingErrorWalk(finishing: unboxed, fields: fields).links.dropFirst().map(\.error.error)
        }
        return errors ?? []
    }
}
