import Foundation

/// One rule in a dispatch, with its position in the order.
///
/// The rule isn't retained: the rule set retains it, and every dispatch retains the set.
struct RuleStep {
    /// The degree of certainty that an error matches.
    ///
    /// It saves calls of matchers. A wrong one is a failed match: whoever reads the error compares its type.
    enum Certainty {
        /// The rule is known to match, and its matcher's output is the error itself.
        case certain
        /// The rule is synchronous and matches if its predicate returns true; its matcher's output is the error itself.
        case predicate
        /// The rule is synchronous and matches only if its predicate returns true. An `NSError` object matches then and
        /// is the matcher's output; for another error, the matcher must be called.
        case domain
        /// The matcher must be called.
        case asked
    }

    let rule: Borrowed<Rule>
    /// The type that an error must have; nil if several types are possible, or if the type was already compared with
    /// the rule.
    private(set) var requiredType: ObjectIdentifier?
    let order: Int
    private(set) var certainty: Certainty
    /// The traits of the rule's action.
    let traits: Rule.Traits

    /// Creates a step that is compared with an error's type when a dispatch reaches it.
    init(_ rule: Rule, order: Int) {
        self.rule = Borrowed(rule)
        self.order = order
        (requiredType, certainty, traits) = (rule.requiredType, rule.certainty, rule.traits)
    }

    /// Returns this step for errors whose type has been compared with the rule.
    func judged(_ certainty: Certainty) -> RuleStep {
        var step = self
        (step.requiredType, step.certainty) = (nil, certainty)
        return step
    }

    /// This step for errors with the key that its rule's test compares: certain if the test compares nothing else.
    var certainIfTested: RuleStep {
        switch rule.read({ $0.test }) {
        case .predicate, .domain: judged(.certain)
        case .type, .closure: self
        }
    }

    /// Whether an error matches and is the matcher's output, given that the predicate, if any, returns true.
    ///
    /// - Parameter type: The static type of the content of the error's box.
    @inline(__always)
    func isKnown(of type: any Error.Type) -> Bool {
        switch certainty {
        case .certain, .predicate: true
        case .domain: Self.isNSError(type)
        case .asked: false
        }
    }

    @inline(never)
    private static func isNSError(_ type: any Error.Type) -> Bool { type == NSError.self }

    var shape: MatcherShape { rule.read { $0.registration.shape } }

    /// Whether errors of a type might match; false only if the rule requires another type.
    ///
    /// - Parameter type: The static type of a box's content.
    @inline(__always)
    func isFor(_ type: any Error.Type) -> Bool { requiredType == nil || requiredType == ObjectIdentifier(type) }
}
