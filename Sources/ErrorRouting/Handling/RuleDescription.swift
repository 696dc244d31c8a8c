/// Which rule it was: its matcher in words, and where it was registered.
///
/// One object per rule, made when the rule is registered and shared by every outcome, failure and explanation that
/// names the rule. Two rules are equal only if they are the same registration.
public final class RuleDescription: Sendable, Hashable, CustomStringConvertible {
    /// Where the rule was registered.
    public let source: ErrorReport.Source

    let shape: MatcherShape

    init(shape: MatcherShape, source: ErrorReport.Source) {
        self.shape = shape
        self.source = source
    }

    /// Describes a rule that no handler holds, for tests and fakes.
    ///
    /// - Parameters:
    ///   - matcher: The matcher in words.
    ///   - source: Where the rule is said to be registered.
    public convenience init(matcher: String, source: ErrorReport.Source) {
        self.init(shape: .named(matcher, .any), source: source)
    }

    /// The matcher in words, or the name it was given: `type(PaymentError)`; `onNoMatch` and `always` for those.
    public var matcher: String { shape.description }

    /// Matcher and place: `type(PaymentError) at Intake/Rules.swift:12`.
    public var description: String { "\(matcher) at \(source)" }

    /// Whether both are the same registration.
    ///
    /// - Parameters:
    ///   - first: A rule.
    ///   - second: Another one, or the same.
    /// - Returns: True for one and the same rule.
    public static func == (first: RuleDescription, second: RuleDescription) -> Bool { first === second }

    /// Hashes the registration's identity.
    ///
    /// - Parameter hasher: What to feed it to.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
