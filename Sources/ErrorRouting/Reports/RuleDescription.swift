/// Which rule it was: its matcher in words, and where it was registered.
///
/// Made once for each rule, and shared by the outcomes, failures and explanations that name it; none is built per
/// error. Two are equal only if they describe the same registration.
public struct RuleDescription: Sendable, Hashable, CustomStringConvertible {
    /// What a description refers to.
    ///
    /// Copies of it describe the same registration.
    final class Storage: Sendable {
        let shape: MatcherShape
        let source: ErrorReport.Source
        private let original: Storage?

        init(shape: MatcherShape, source: ErrorReport.Source) {
            self.shape = shape
            self.source = source
            original = nil
        }

        init(copying original: Storage) {
            shape = original.shape
            source = original.source
            self.original = original.original ?? original
        }

        /// What copies of one registration have in common.
        var identity: ObjectIdentifier { ObjectIdentifier(original ?? self) }
    }

    let storage: Storage

    init(_ storage: Storage) {
        self.storage = storage
    }

    /// Describes a rule that no handler holds, for tests and fakes.
    ///
    /// - Parameters:
    ///   - matcher: The matcher in words.
    ///   - source: Where the rule is said to be registered.
    public init(matcher: String, source: ErrorReport.Source) {
        self.init(Storage(shape: .named(matcher, .any), source: source))
    }

    /// The matcher in words, or the name it was given, on one line.
    ///
    /// `type(PaymentError)`, say; `onNoMatch` and `always` go by these names.
    public var matcher: String { storage.shape.description }

    /// Where the rule was registered.
    public var source: ErrorReport.Source { storage.source }

    /// Matcher and place: `type(PaymentError) at Intake/Rules.swift:12`.
    public var description: String { "\(matcher) at \(OneLine.escaped(source.description))" }

    /// Whether both are the same registration.
    ///
    /// - Parameters:
    ///   - first: A rule.
    ///   - second: Another one, or the same.
    /// - Returns: True for one and the same registration.
    public static func == (first: RuleDescription, second: RuleDescription) -> Bool {
        first.storage.identity == second.storage.identity
    }

    /// Hashes the registration's identity.
    ///
    /// - Parameter hasher: What to feed it to.
    public func hash(into hasher: inout Hasher) { hasher.combine(storage.identity) }
}
