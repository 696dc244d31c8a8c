import Synchronization

/// What a combined matcher is made of.
///
/// A combination may have one matcher many times: one that is doubled 22 times (`m = m || m`) has it four million times.
/// So each matcher has an identity, and a combination in which one occurs twice remembers its answer.
class MatcherParts: @unchecked Sendable {  // Unchecked for its subclasses; all stored properties are constants.
    /// The identities of the matchers in it that are no combinations themselves; only those of the first few.
    let leaves: [UInt]
    /// Whether one of them may occur twice.
    let hasRepeats: Bool

    /// How many leaves are told apart; a combination of more may have repeats.
    private static let leafLimit = 32
    private static let lastID = Atomic<UInt>(0)

    /// What a matcher has answered.
    final class Answer<Output: Sendable>: Sendable {
        let output: Output?

        init(_ output: Output?) { self.output = output }
    }

    /// The parts of a matcher that asks one other.
    convenience init<Output>(of matcher: ErrorMatcher<Output>) { self.init([matcher.leaves]) }

    /// - Parameter parts: The leaves of each part.
    init(_ parts: [[UInt]]) {
        var (leaves, count) = ([UInt](), 0)
        for part in parts where leaves.count <= Self.leafLimit {
            count += part.count
            for leaf in part where !leaves.contains(leaf) { leaves.append(leaf) }
        }
        self.leaves = leaves
        // The matchers in one list are different: of many, only one that is a combination itself may have another's.
        hasRepeats = count != leaves.count || leaves.count > Self.leafLimit && parts.contains { $0.count > 1 }
    }

    /// Returns the identity of a new matcher, which is no address.
    static func nextID() -> UInt { lastID.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Returns the identity of a matcher whose output is an `any Error` instead.
    static func erased(_ id: UInt) -> UInt { id | 1 << (UInt.bitWidth - 1) }

    /// Calls a closure with a subject that remembers what matchers have answered, if that is of use.
    @inline(__always)
    final func asking<Output>(
        _ subject: inout ErrorSubject, _ body: (inout ErrorSubject) -> Output?
    ) -> Output? {
        guard hasRepeats, subject.answers == nil else { return body(&subject) }
        subject.answers = [:]
        defer { subject.answers = nil }
        return body(&subject)
    }
}

/// The alternatives of `||`.
final class EitherParts<Output: Sendable>: MatcherParts, @unchecked Sendable {  // As `MatcherParts`.
    let alternatives: [ErrorMatcher<Output>]

    init(_ alternatives: [ErrorMatcher<Output>]) {
        self.alternatives = alternatives
        super.init(alternatives.map(\.leaves))
    }

    func evaluate(_ subject: inout ErrorSubject) -> Output? {
        asking(&subject) { subject in
            for matcher in alternatives { if let output = matcher.ask(&subject) { return output } }
            return nil
        }
    }
}

/// The conditions of `&&`, of which the first gives the output.
final class BothParts<Output: Sendable>: MatcherParts, @unchecked Sendable {  // As `MatcherParts`.
    let first: ErrorMatcher<Output>
    let others: [MatcherCondition]

    init(_ first: ErrorMatcher<Output>, _ others: [MatcherCondition]) {
        (self.first, self.others) = (first, others)
        super.init([first.leaves] + others.map(\.leaves))
    }

    func evaluate(_ subject: inout ErrorSubject) -> Output? {
        asking(&subject) { subject in
            guard let output = first.ask(&subject) else { return nil }
            for condition in others where !condition.holds(&subject) { return nil }
            return output
        }
    }
}

/// A matcher whose output is not used.
struct MatcherCondition: Sendable {
    let shape: MatcherShape
    let identity: UInt
    let leaves: [UInt]
    let holds: @Sendable (inout ErrorSubject) -> Bool

    init<Output>(_ matcher: ErrorMatcher<Output>) {
        (shape, identity, leaves) = (matcher.shape, matcher.identity, matcher.leaves)
        holds = { subject in matcher.ask(&subject) != nil }
    }
}

extension ErrorMatcher {
    /// The identities of the matchers in it that are no combinations, and may call code of the user's.
    var leaves: [UInt] { parts?.leaves ?? (id == 0 ? [] : [id]) }

    /// The alternatives of an `||` that has no name; the matcher itself if it is none.
    fileprivate var alternatives: [Self] {
        if case .either = shape, let parts = parts as? EitherParts<Output> { return parts.alternatives }
        return [self]
    }

    /// The conditions of an `&&` that has no name; the matcher itself if it is none.
    fileprivate var conditions: (first: Self, others: [MatcherCondition]) {
        if case .both = shape, let parts = parts as? BothParts<Output> { return (parts.first, parts.others) }
        return (self, [])
    }

    /// How long a list may get before it becomes the part of another: each addition copies it.
    fileprivate static var listLimit: Int { 256 }
}

// MARK: - Combinators

/// Matches if either matcher does, and hands on the output of the first one that matches.
///
/// A matcher that occurs more than once in a combination is called only once for an error.
///
/// - Parameters:
///   - first: Asked first.
///   - second: Asked only if `first` does not match.
/// - Returns: The union of the two, with their common output.
public func || <A>(first: ErrorMatcher<A>, second: ErrorMatcher<A>) -> ErrorMatcher<A> {
    if first.identity == second.identity { return first }
    var alternatives = first.alternatives
    for matcher in second.alternatives where !alternatives.contains(where: { $0.identity == matcher.identity }) {
        alternatives.append(matcher)
    }
    if alternatives.count > ErrorMatcher<A>.listLimit { alternatives = [first, second] }
    let parts = EitherParts(alternatives)
    return ErrorMatcher(.either(alternatives.map(\.shape)), parts: parts, parts.evaluate)
}

/// Matches if either of two matchers with different outputs does, and hands on the first one's output if that is an error,
/// otherwise the error that was matched.
///
/// - Parameters:
///   - first: Asked first.
///   - second: Asked only if `first` does not match.
/// - Returns: The union of the two.
public func || <A, B>(first: ErrorMatcher<A>, second: ErrorMatcher<B>) -> ErrorMatcher<any Error> {
    first.erased || second.erased
}

/// Matches if both matchers do, and hands on the first one's output.
///
/// A matcher that occurs more than once in a combination is called only once for an error.
///
/// - Parameters:
///   - first: Asked first; its output is handed on.
///   - second: Asked only if `first` matches.
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
    let parts = BothParts(head, others)
    return ErrorMatcher(.both([head.shape] + others.map(\.shape)), parts: parts, parts.evaluate)
}

/// Matches if the matcher does not, and hands on the error.
///
/// - Parameter matcher: The matcher to negate.
/// - Returns: Its complement.
public prefix func ! <A>(matcher: ErrorMatcher<A>) -> ErrorMatcher<any Error> {
    ErrorMatcher(.not(matcher.shape), parts: MatcherParts(of: matcher)) { subject in
        matcher.ask(&subject) == nil ? subject.error : nil
    }
}
