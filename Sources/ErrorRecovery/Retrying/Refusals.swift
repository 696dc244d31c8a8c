import ErrorRouting
import Synchronization

/// Whether an error says that the operation must not be tried again: itself, or an error under it.
func forbidsRetry(_ error: any Error) -> Bool { forbidding.match(error) != nil }

/// What forbids is looked for under a circuit's refusal too, unless the refusal is all that failed.
let forbidding =
    (ErrorMatcher.anywhere(.conforming(to: (any RetryClassified).self).where(\.forbidsRetry)).erased
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
        let under = errorsDirectly(under: error)
        guard under.count == 1 else { return false }
        error = under[0]
    }
    return false
}

private let refusal = ErrorMatcher.type(CircuitOpen.self)

/// Returns the errors directly under an error, as `anywhere` finds them.
private func errorsDirectly(under error: any Error) -> [any Error] {
    // `anywhere` visits level by level: the errors under `error` come between the second fence and the third.
    let visited = Mutex<[any Error]>([])
    let visit = ErrorMatcher.predicate { error in
        visited.withLock { $0.append(error) }
        return false
    }
    _ = ErrorMatcher.anywhere(visit).match(Fence(underlyingErrors: [error, Fence(underlyingErrors: [Fence()])]))
    return Array(visited.withLock(\.self).dropFirst(3).prefix { !($0 is Fence) })
}

/// An error that marks a place among others.
private struct Fence: UnderlyingErrors {
    var underlyingErrors: [any Error] = []
}
