import BoundedDescriptions

/// The description of a rule: its matcher as a string, and its source location.
///
/// It is created once for each rule, not for each error, and the outcomes, failures, and explanations that name the
/// rule share it. Two descriptions are equal only if they describe the same registration.
public struct RuleDescription: Sendable, Hashable, CustomStringConvertible {
    /// The content of a description; a copy equals its original, because it describes the same registration.
    final class Storage: Sendable, Hashable {
        let shape: MatcherShape
        let source: ErrorReport.Source
        private let original: Storage?

        init(shape: MatcherShape, source: ErrorReport.Source, copying original: Storage? = nil) {
            (self.shape, self.source, self.original) = (shape, source, original)
        }

        /// The identity of the registration, which copies share.
        private var identity: ObjectIdentifier { ObjectIdentifier(original ?? self) }

        static func == (first: Storage, second: Storage) -> Bool { first.identity == second.identity }

        func hash(into hasher: inout Hasher) { hasher.combine(identity) }
    }

    let storage: Storage

    /// The matcher as a string of one line, or its name if it has one.
    ///
    /// An example is `type(PaymentError)`. For fallbacks, it is the name of the method: `onNoMatch` or `always`.
    public var matcher: String { shape.description }

    /// The structure of the matcher.
    package var shape: MatcherShape { storage.shape }

    /// Where the rule was registered.
    public var source: ErrorReport.Source { storage.source }

    /// The matcher and the source location: `type(PaymentError) at Intake/Rules.swift:12`.
    public var description: String { "\(matcher) at \(OneLine.escaped(source.description))" }
}

extension RuleDescription {
    /// Creates the description of a rule that isn't in a handler, for tests and fakes.
    ///
    /// - Parameters:
    ///   - matcher: The matcher as a string.
    ///   - source: The rule's source location.
    public init(matcher: String, source: ErrorReport.Source) {
        self.init(storage: Storage(shape: .named(matcher, .any), source: source))
    }
}
