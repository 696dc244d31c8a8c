import Synchronization

/// The parts of a combined matcher.
///
/// A combination can contain one matcher many times: doubling a matcher 22 times (`m = m || m`) repeats it four million
/// times. Therefore each matcher has an identity, and a combination caches the result of a matcher that occurs twice.
class MatcherParts: @unchecked Sendable {  // Unchecked for its subclasses; all stored properties are constants.
    /// The identities of the first few matchers in the combination that aren't lists themselves.
    let leaves: [UInt]
    /// Whether one of the matchers might occur twice.
    let hasRepeats: Bool

    /// The number of leaves that are distinguished; a combination of more might have repeats.
    private static let leafLimit = 32
    private static let lastID = Atomic<UInt>(0)

    /// The result of a matcher.
    final class Answer<Output: Sendable>: Sendable {
        let output: Output?

        init(_ output: Output?) { self.output = output }
    }

    /// Creates the parts of a matcher that calls one other matcher, and perhaps a closure of its own.
    convenience init<Output>(of matcher: ErrorMatcher<Output>) { self.init([matcher.leaves, [Self.nextID()]]) }

    /// - Parameter parts: The leaves of each part.
    init(_ parts: [[UInt]]) {
        var (leaves, count) = ([UInt](), 0)
        for part in parts where leaves.count <= Self.leafLimit {
            count += part.count
            for leaf in part where !leaves.contains(leaf) { leaves.append(leaf) }
        }
        self.leaves = leaves
        // The leaves of one part are different. Above the limit, assume that a part with several leaves shares one of
        // them with another part.
        hasRepeats = count != leaves.count || leaves.count > Self.leafLimit && parts.contains { $0.count > 1 }
    }

    /// Returns the identity of a new matcher, which isn't an address.
    static func nextID() -> UInt { lastID.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Returns the identity of a matcher with its output as `any Error`.
    static func erased(_ id: UInt) -> UInt { id | 1 << (UInt.bitWidth - 1) }
}

/// The alternatives of `||`, or the conditions of `&&`, the first of which determines the output.
final class MatcherList<Output: Sendable>: MatcherParts, @unchecked Sendable {  // As `MatcherParts`.
    let alternatives: [ErrorMatcher<Output>]
    let conditions: [MatcherCondition]

    init(_ alternatives: [ErrorMatcher<Output>], _ conditions: [MatcherCondition] = []) {
        (self.alternatives, self.conditions) = (alternatives, conditions)
        super.init(alternatives.map(\.leaves) + conditions.map(\.leaves))
    }

    /// Returns the output of the first alternative that matches, if the conditions hold.
    func evaluate(_ subject: inout ErrorSubject) -> Output? {
        // The outermost combination with repeats caches the results of matchers.
        let caches = hasRepeats && subject.answers == nil
        if caches { subject.answers = [:] }
        defer { if caches { subject.answers = nil } }
        for matcher in alternatives {
            guard let output = matcher.evaluate(&subject) else { continue }
            return conditions.allSatisfy { $0.holds(&subject) } ? output : nil
        }
        return nil
    }
}

/// A matcher with an unused output.
struct MatcherCondition: Sendable {
    let shape: MatcherShape
    let identity: UInt
    let leaves: [UInt]
    let holds: @Sendable (inout ErrorSubject) -> Bool

    init<Output>(_ matcher: ErrorMatcher<Output>) {
        (shape, identity, leaves) = (matcher.shape, matcher.identity, matcher.leaves)
        holds = { subject in matcher.evaluate(&subject) != nil }
    }
}

extension ErrorMatcher {
    /// The identities of the contained matchers that aren't combinations and might call user code.
    var leaves: [UInt] { parts?.leaves ?? (id == 0 ? [] : [id]) }

    /// The alternatives of an unnamed `||`; otherwise the matcher itself.
    fileprivate var alternatives: [Self] {
        if case .either = shape, let list = parts as? MatcherList<Output> { return list.alternatives }
        return [self]
    }

    /// The conditions of an unnamed `&&`; otherwise the matcher itself.
    fileprivate var conditions: (first: Self, others: [MatcherCondition]) {
        guard case .both = shape, let list = parts as? MatcherList<Output> else { return (self, []) }
        return (list.alternatives[0], list.conditions)
    }

    /// The maximum length of a list before it becomes a part of another one; each addition copies the list.
    fileprivate static var listLimit: Int { 256 }
}

// MARK: - Combinators

/// Matches if either matcher does, with the output of the first one that matches.
///
/// A matcher that occurs more than once in a combination is called only once for an error.
///
/// - Parameters:
///   - first: The matcher to call first.
///   - second: The matcher to call only if `first` doesn't match.
/// - Returns: The union of the two, with their common output.
public func || <A>(first: ErrorMatcher<A>, second: ErrorMatcher<A>) -> ErrorMatcher<A> {
    if first.identity == second.identity { return first }
    var alternatives = first.alternatives
    for matcher in second.alternatives where !alternatives.contains(where: { $0.identity == matcher.identity }) {
        alternatives.append(matcher)
    }
    if alternatives.count > ErrorMatcher<A>.listLimit { alternatives = [first, second] }
    let list = MatcherList(alternatives)
    return ErrorMatcher(.either(alternatives.map(\.shape)), parts: list, list.evaluate)
}

/// Matches if either of two matchers with different outputs does, with the first one's output if that is an error;
/// otherwise with the matched error.
///
/// - Parameters:
///   - first: The matcher to call first.
///   - second: The matcher to call only if `first` doesn't match.
/// - Returns: The union of the two.
public func || <A, B>(first: ErrorMatcher<A>, second: ErrorMatcher<B>) -> ErrorMatcher<any Error> {
    first.erased || second.erased
}

/// Matches if both matchers do, with the first one's output.
///
/// A matcher that occurs more than once in a combination is called only once for an error.
///
/// - Parameters:
///   - first: The matcher to call first; its output is the result.
///   - second: The matcher to call only if `first` matches.
/// - Returns: The intersection of the two.
public func && <A, B>(first: ErrorMatcher<A>, second: ErrorMatcher<B>) -> ErrorMatcher<A> {
    if first.identity == second.identity { return first }
    var (head, others) = first.conditions
    let added = second.conditions
    for condition in [MatcherCondition(added.first)] + added.others
    where condition.identity != head.identity && !others.contains(where: { $0.identity == condition.identity }) {
        others.append(condition)
    }
    if others.count >= ErrorMatcher<A>.listLimit { (head, others) = (first, [MatcherCondition(second)]) }
    let list = MatcherList([head], others)
    return ErrorMatcher(.both([head.shape] + others.map(\.shape)), parts: list, list.evaluate)
}

/// Matches if the matcher doesn't, with the error as the output.
///
/// - Parameter matcher: The matcher to negate.
/// - Returns: Its complement.
public prefix func ! <A>(matcher: ErrorMatcher<A>) -> ErrorMatcher<any Error> {
    ErrorMatcher(.not(matcher.shape), parts: MatcherParts(of: matcher)) { subject in
        matcher.evaluate(&subject) == nil ? subject.error : nil
    }
}
