import ErrorRouting

/// Whether an error says that the operation must not be tried again: itself, or an error under it.
func forbidsRetry(_ error: any Error) -> Bool { forbidding.match(error) != nil }

/// What forbids is looked for under a circuit's refusal too, unless the refusal is all that failed.
let forbidding =
    (.any && ErrorMatcher.anywhere(.conforming(to: (any RetryClassified).self).where(\.forbidsRetry))
    && .predicate { !isRefusal($0) })
    .named("an error that forbids another attempt")

/// Whether an error says that a circuit refused the attempt, and nothing else, so that nothing was sent.
///
/// The error is the refusal, or wraps nothing but it. If there is another error beside the refusal, something may have
/// been sent. What is under the refusal, its cause, is another attempt's error.
func isRefusal(_ error: any Error) -> Bool {
    // Most errors have no refusal under them, and are walked once.
    guard ErrorMatcher.anywhere(refusal).match(error) != nil else { return false }
    var error = error
    // As many errors as `anywhere` visits.
    for _ in 0..<64 {
        if refusal.match(error) != nil { return true }
        let under = underlyingErrors(of: error)
        guard under.count == 1 else { return false }
        error = under[0]
    }
    return false
}

private let refusal = ErrorMatcher.type(CircuitOpen.self)
