import Foundation

/// One rule in a dispatch, with its position in the order.
///
/// The step doesn't retain the rule: its block does, and every dispatch keeps the rule set alive, which retains the
/// block.
struct RuleStep {
    let rule: Borrowed<Rule>
    /// The type that an error must have.
    ///
    /// It is nil if errors of several types can match, or if the type was already compared with the rule.
    private(set) var requiredType: ObjectIdentifier?
    let order: Int
    /// How a dispatch finds out whether the rule matches; synchronous rules alone have a `predicate` or a `domain`.
    private(set) var test: MatcherTest
    /// The traits of the rule's action.
    let traits: Rule.Traits

    /// Creates a step whose rule is compared with an error's type when a dispatch reaches the step.
    init(_ rule: Rule, order: Int) {
        self.rule = Borrowed(rule)
        self.order = order
        (requiredType, test, traits) = (rule.requiredType, rule.dispatchTest, rule.traits)
    }

    /// Returns this step for errors whose type was already compared with the rule.
    func afterTypeComparison(_ test: MatcherTest) -> RuleStep {
        var step = self
        (step.requiredType, step.test) = (nil, test)
        return step
    }

    /// This step for errors with the key that the rule's test compares; certain if the test compares only the key.
    var afterKeyComparison: RuleStep {
        switch rule.read({ $0.test }) {
        case .predicate, .domain: afterTypeComparison(.certain)
        case .certain, .closure: self
        }
    }

    /// Returns whether an error matches and is itself the matcher's output, if the step's predicate returned true.
    ///
    /// The type is the static type of the content of the error's box.
    @inline(__always)
    func isKnown(of type: any Error.Type) -> Bool {
        switch test {
        case .certain, .predicate: true
        case .domain: Self.isNSError(type)
        case .closure: false
        }
    }

    @inline(never)
    private static func isNSError(_ type: any Error.Type) -> Bool { type == NSError.self }

    /// Returns whether errors whose box has content of a static type might match.
    ///
    /// The result is false only if the rule requires another type.
    @inline(__always)
    func isFor(_ type: any Error.Type) -> Bool { requiredType == nil || requiredType == ObjectIdentifier(type) }
}
