/// The alternatives of `||`, or the conditions of `&&`; the first condition determines the output.
///
/// The matchers of a chain are in one list: if a chain of thousands were nested, evaluating it could overflow the
/// stack.
final class MatcherList<Output: Sendable>: Sendable {
    let alternatives: [ErrorMatcher<Output>]
    /// The conditions after the first condition; empty for `||`.
    let conditions: [ErrorMatcher<any Error>]

    /// The maximum length of a list before it becomes an element of another list; each addition copies the list.
    static var limit: Int { 1_024 }

    init(_ alternatives: [ErrorMatcher<Output>], _ conditions: [ErrorMatcher<any Error>] = []) {
        (self.alternatives, self.conditions) = (alternatives, conditions)
    }

    /// The depth of the deepest matcher.
    var depth: Int { max(alternatives.lazy.map(\.depth).max() ?? 0, conditions.lazy.map(\.depth).max() ?? 0) }

    /// Returns the output of the first alternative that matches, if the conditions hold.
    func evaluate(_ subject: inout ErrorSubject) -> Output? {
        for matcher in alternatives {
            guard let output = matcher.evaluate(&subject) else { continue }
            for condition in conditions where condition.evaluate(&subject) == nil { return nil }
            return output
        }
        return nil
    }
}

extension ErrorMatcher {
    /// The maximum nesting depth of matchers: calling, comparing, and releasing a matcher recurse to its depth.
    static var depthLimit: Int { 128 }

    /// Returns the depth of a matcher that contains matchers of a given depth; crashes if the limit is exceeded.
    static func depth(above depth: Int) -> Int {
        let depth = 1 + depth
        // Use `fatalError`: a failed precondition has no message in a release build.
        guard depth <= depthLimit else {
            fatalError("more than \(depthLimit) matchers are nested in one another; use one predicate instead of them")
        }
        return depth
    }

    /// The alternatives of an unnamed `||`; for any other matcher, the matcher itself.
    fileprivate var alternatives: [Self] {
        if case .either = shape, let list = list as? MatcherList<Output> { list.alternatives } else { [self] }
    }

    /// The conditions of an unnamed `&&`; for any other matcher, the matcher itself.
    fileprivate var conditions: (first: Self, others: [ErrorMatcher<any Error>]) {
        guard case .both = shape, let list = list as? MatcherList<Output> else { return (self, []) }
        return (list.alternatives[0], list.conditions)
    }
}

// MARK: - Combinators

/// Matches if either matcher matches; the output is that of the first matcher that does.
///
/// If a combination contains the same matcher several times, that matcher is called each time, until a matcher matches.
///
/// - Parameters:
///   - first: The matcher to call first.
///   - second: The matcher to call only if `first` doesn't match.
/// - Returns: The union of the two matchers, with their common output type.
public func || <A>(first: ErrorMatcher<A>, second: ErrorMatcher<A>) -> ErrorMatcher<A> {
    var matchers = first.alternatives + second.alternatives
    if matchers.count > MatcherList<A>.limit { matchers = [first, second] }
    let list = MatcherList(matchers)
    return ErrorMatcher(.either(matchers.map(\.shape)), above: list.depth, list: list, list.evaluate)
}

/// Matches if either of two matchers with different outputs matches.
///
/// The output is the output of the first matcher that matches, if that is an error; otherwise it is the matched error.
///
/// - Parameters:
///   - first: The matcher to call first.
///   - second: The matcher to call only if `first` doesn't match.
/// - Returns: The union of the two matchers.
public func || <A, B>(first: ErrorMatcher<A>, second: ErrorMatcher<B>) -> ErrorMatcher<any Error> {
    first.erased || second.erased
}

/// Matches if both matchers match; the output is that of the first matcher.
///
/// If a combination contains the same matcher several times, that matcher is called each time, until a matcher doesn't
/// match.
///
/// - Parameters:
///   - first: The matcher to call first; its output is the result.
///   - second: The matcher to call only if `first` matches.
/// - Returns: The intersection of the two matchers.
/// - Complexity: The sum of both matchers. A handler looks up a rule only by the type, value, or domain that `first`
///   requires, so put the narrower matcher first.
public func && <A, B>(first: ErrorMatcher<A>, second: ErrorMatcher<B>) -> ErrorMatcher<A> {
    var (head, others) = first.conditions
    let added = second.conditions
    others += [added.first.erased] + added.others
    if others.count >= MatcherList<A>.limit { (head, others) = (first, [second.erased]) }
    let list = MatcherList([head], others)
    return ErrorMatcher(.both([head.shape] + others.map(\.shape)), above: list.depth, list: list, list.evaluate)
}

/// Matches if the matcher doesn't match; the output is the error.
///
/// - Parameter matcher: The matcher to negate.
/// - Returns: The complement of the matcher.
public prefix func ! <A>(matcher: ErrorMatcher<A>) -> ErrorMatcher<any Error> {
    ErrorMatcher(.not(matcher.shape), above: matcher.depth) { subject in
        matcher.evaluate(&subject) == nil ? subject.error : nil
    }
}
