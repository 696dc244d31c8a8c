/// The alternatives of `||`, or the conditions of `&&`.
///
/// The matchers of a chain are in one list, so that a chain of thousands isn't nested as deep.
indirect enum MatcherList<Output: Sendable>: Sendable {
    case alternatives([ErrorMatcher<Output>])
    /// The first matcher, which determines the output, and the others.
    case conditions(ErrorMatcher<Output>, [ErrorMatcher<any Error>])

    /// The maximum length of a list before it becomes a part of another one; each addition copies the list.
    static var limit: Int { 1_024 }
}

extension ErrorMatcher {
    /// The maximum number of matchers within one another. Calling, comparing, and releasing a matcher recurse as deep.
    static var depthLimit: Int { 128 }

    /// Returns the depth of a matcher that contains others; exits if the others are nested too deep.
    static func depth(above first: Int, _ second: Int = 0) -> Int {
        let depth = 1 + max(first, second)
        // A failed precondition has no message in a release build.
        guard depth <= depthLimit else {
            fatalError("more than \(depthLimit) matchers are nested in one another; use one predicate instead of them")
        }
        return depth
    }

    /// The alternatives of an unnamed `||`; otherwise the matcher itself.
    fileprivate var alternatives: [Self] {
        if case .either = shape, case .alternatives(let matchers) = list { matchers } else { [self] }
    }

    /// The conditions of an unnamed `&&`; otherwise the matcher itself.
    fileprivate var conditions: (first: Self, others: [ErrorMatcher<any Error>]) {
        if case .both = shape, case .conditions(let first, let others) = list { (first, others) } else { (self, []) }
    }

    /// The same matcher with the error as the output.
    fileprivate var condition: ErrorMatcher<any Error> {
        ErrorMatcher<any Error>(shape, depth: depth) { subject in evaluate(&subject).map { _ in subject.error } }
    }
}

// MARK: - Combinators

/// Matches if either matcher does, with the output of the first one that matches.
///
/// A matcher is called as often as it occurs in the combination, up to the first one that matches.
///
/// - Parameters:
///   - first: The matcher to call first.
///   - second: The matcher to call only if `first` doesn't match.
/// - Returns: The union of the two, with their common output.
public func || <A>(first: ErrorMatcher<A>, second: ErrorMatcher<A>) -> ErrorMatcher<A> {
    let chain = first.alternatives + second.alternatives
    let matchers = chain.count > MatcherList<A>.limit ? [first, second] : chain
    let depth = ErrorMatcher<A>.depth(above: matchers.lazy.map(\.depth).max() ?? 0)
    return ErrorMatcher(.either(matchers.map(\.shape)), depth: depth, list: .alternatives(matchers)) { subject in
        for matcher in matchers { if let output = matcher.evaluate(&subject) { return output } }
        return nil
    }
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
/// A matcher is called as often as it occurs in the combination, up to the first one that doesn't match.
///
/// - Parameters:
///   - first: The matcher to call first; its output is the result.
///   - second: The matcher to call only if `first` matches.
/// - Returns: The intersection of the two.
public func && <A, B>(first: ErrorMatcher<A>, second: ErrorMatcher<B>) -> ErrorMatcher<A> {
    var (head, others) = first.conditions
    let added = second.conditions
    others += [added.first.condition] + added.others
    if others.count >= MatcherList<A>.limit { (head, others) = (first, [second.condition]) }
    let depth = ErrorMatcher<A>.depth(above: head.depth, others.lazy.map(\.depth).max() ?? 0)
    let shape = MatcherShape.both([head.shape] + others.map(\.shape))
    return ErrorMatcher(shape, depth: depth, list: .conditions(head, others)) { [head, others] subject in
        guard let output = head.evaluate(&subject) else { return nil }
        for matcher in others where matcher.evaluate(&subject) == nil { return nil }
        return output
    }
}

/// Matches if the matcher doesn't, with the error as the output.
///
/// - Parameter matcher: The matcher to negate.
/// - Returns: Its complement.
public prefix func ! <A>(matcher: ErrorMatcher<A>) -> ErrorMatcher<any Error> {
    ErrorMatcher(.not(matcher.shape), depth: ErrorMatcher<A>.depth(above: matcher.depth)) { subject in
        matcher.evaluate(&subject) == nil ? subject.error : nil
    }
}
