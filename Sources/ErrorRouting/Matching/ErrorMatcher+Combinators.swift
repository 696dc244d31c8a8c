/// Matches where either matcher does; the first that matches hands on its output.
///
/// - Parameters:
///   - first: Asked first.
///   - second: Asked only where `first` does not match.
/// - Returns: The union of the two, with their common output.
public func || <A>(first: ErrorMatcher<A>, second: ErrorMatcher<A>) -> ErrorMatcher<A> {
    let (one, other) = (first.evaluate, second.evaluate)
    return ErrorMatcher(.either(first.shape, second.shape)) { subject in one(&subject) ?? other(&subject) }
}

/// Matches where either matcher does, whatever their outputs; hands on an error (see ``ErrorMatcher/erased``).
///
/// - Parameters:
///   - first: Asked first.
///   - second: Asked only where `first` does not match.
/// - Returns: The union of the two.
public func || <A, B>(first: ErrorMatcher<A>, second: ErrorMatcher<B>) -> ErrorMatcher<any Error> {
    first.erased || second.erased
}

/// Matches where both matchers do, and hands on the first one's output.
///
/// - Parameters:
///   - first: Asked first; its output is handed on.
///   - second: Asked only where `first` matches.
/// - Returns: The intersection of the two.
public func && <A, B>(first: ErrorMatcher<A>, second: ErrorMatcher<B>) -> ErrorMatcher<A> {
    let (one, other) = (first.evaluate, second.evaluate)
    return ErrorMatcher(.both(first.shape, second.shape)) { subject in
        guard let output = one(&subject), other(&subject) != nil else { return nil }
        return output
    }
}

/// Matches where the matcher does not, and hands on the error.
///
/// - Parameter matcher: The matcher to negate.
/// - Returns: Its complement.
public prefix func ! <A>(matcher: ErrorMatcher<A>) -> ErrorMatcher<any Error> {
    let evaluate = matcher.evaluate
    return ErrorMatcher(.not(matcher.shape)) { subject in evaluate(&subject) == nil ? subject.error : nil }
}
