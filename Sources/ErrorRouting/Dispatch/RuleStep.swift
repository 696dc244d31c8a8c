import Foundation

/// One rule in a dispatch, with its position in the order.
///
/// The step doesn't retain the rule: the rule set retains the rule, and every dispatch retains the set.
struct RuleStep {
    /// How certain it is that an error matches.
    ///
    /// The certainty makes calls of matchers unnecessary. If it is wrong, the match fails, because code that reads the
    /// error compares the error's type.
    enum Certainty {
        /// The rule is known to match, and its matcher's output is the error itself.
        case certain
        /// The rule is synchronous and matches if its predicate returns true; the output is then the error itself.
        case predicate
        /// The rule is synchronous and matches only if its predicate returns true.
        ///
        /// An `NSError` object for which the predicate returns true is the matcher's output. For any other error, the
        /// matcher must be called too.
        case domain
        /// The matcher must be called.
        case matcher
    }

    let rule: Borrowed<Rule>
    /// The type that an error must have.
    ///
    /// It is nil if errors of several types can match, or if the type was already compared with the rule.
    private(set) var requiredType: ObjectIdentifier?
    let order: Int
    private(set) var certainty: Certainty
    /// The traits of the rule's action.
    let traits: Rule.Traits

    /// Creates a step whose rule is compared with an error's type when a dispatch reaches the step.
    init(_ rule: Rule, order: Int) {
        self.rule = Borrowed(rule)
        self.order = order
        (requiredType, certainty, traits) = (rule.requiredType, rule.certainty, rule.traits)
    }

    /// Returns this step for errors whose type was already compared with the rule.
    func judged(_ certainty: Certainty) -> RuleStep {
        var step = self
        (step.requiredType, step.certainty) = (nil, certainty)
        return step
    }

    /// This step for errors with the key that the rule's test compares; certain if the test compares only the key.
    var certainIfTested: RuleStep {
        switch rule.read({ $0.test }) {
        case .predicate, .domain: judged(.certain)
        case .type, .closure: self
        }
    }

    /// Returns whether an error matches and is itself the matcher's output, if the step's predicate returned true.
    ///
    /// The type is the static type of the content of the error's box.
    @inline(__always)
    func isKnown(of type: any Error.Type) -> Bool {
        switch certainty {
        case .certain, .predicate: true
        case .domain: Self.isNSError(type)
        case .matcher: false
        }
    }

    @inline(never)
    private static func isNSError(_ type: any Error.Type) -> Bool { type == NSError.self }

    var shape: MatcherShape { rule.read { $0.registration.shape } }

    /// Returns whether errors whose box has content of a static type might match.
    ///
    /// The result is false only if the rule requires another type.
    @inline(__always)
    func isFor(_ type: any Error.Type) -> Bool { requiredType == nil || requiredType == ObjectIdentifier(type) }
}
