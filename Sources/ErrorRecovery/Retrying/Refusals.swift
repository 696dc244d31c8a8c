import ErrorRouting

/// Returns whether an error, or an error wrapped in it, forbids another attempt.
func forbidsRetry(_ error: any Error) -> Bool { forbidding.match(error) != nil }

/// Matches an error that is or wraps an error that forbids another attempt.
///
/// It also searches the errors wrapped in a circuit's refusal, unless the refusal is the only failure.
let forbidding =
    (.any && ErrorMatcher.anywhere(.conforming(to: (any RetryClassified).self).where(\.forbidsRetry))
    && .predicate { !isRefusal($0) })
    .named("an error that forbids another attempt")

/// Returns whether a circuit's refusal is the only failure in an error, which means that nothing was sent.
///
/// The error is the refusal itself, or wraps only the refusal. If it also wraps another error, something might have
/// been sent. The refusal's own cause doesn't count because it comes from an earlier call.
func isRefusal(_ error: any Error) -> Bool {
    // Search first: most errors don't contain a refusal.
    guard ErrorMatcher.anywhere(refusal).match(error) != nil else { return false }
    var error = error
    // Visit at most as many errors as `anywhere` does.
    for _ in 0..<64 {
        if refusal.match(error) != nil { return true }
        let under = underlyingErrors(of: error)
        guard under.count == 1 else { return false }
        error = under[0]
    }
    return false
}

private let refusal = ErrorMatcher.type(CircuitOpen.self)
