/// A value that says whether it matches an error, and what it hands to the action.
///
/// Matchers are made with the factories (``type(_:)``, ``value(_:)``, ``nsError(domain:code:)``, …), combined with
/// `||`, `&&` and `!`, narrowed with ``where(_:)``, and used in an ``ErrorHandler`` or an ``ErrorMap``, or asked
/// directly:
///
/// ```swift
/// let declined = ErrorMatcher.type(PaymentError.self).where { $0.code == 51 }
/// if let error = declined.match(thrown) { … }
///
/// do { try pay() } catch declined { … }
/// ```
///
/// A matcher is `Sendable` and remembers nothing between errors: it may be asked from any number of threads.
public struct ErrorMatcher<Output: Sendable>: Sendable, CustomStringConvertible {
    /// What the matcher is made of, for descriptions and for whoever wants to know what it can match.
    let shape: MatcherShape

    /// Returns what the matcher hands on, or nil where it does not match.
    let evaluate: @Sendable (inout ErrorSubject) -> Output?

    init(_ shape: MatcherShape, _ evaluate: @escaping @Sendable (inout ErrorSubject) -> Output?) {
        self.shape = shape
        self.evaluate = evaluate
    }

    /// Asks the matcher about one error.
    ///
    /// - Parameter error: The error to match.
    /// - Returns: What an action would get, or nil where the matcher does not match.
    /// - Complexity: That of the factory and the combinators which made the matcher.
    public func match(_ error: any Error) -> Output? {
        guard let entry = PerThread.enterMatcher() else { return nil }
        defer { PerThread.leaveMatcher(entry) }
        var subject = ErrorSubject(error)
        return evaluate(&subject)
    }

    /// The matcher as one reads it in an explanation: `type(PaymentError)`, or the name that ``named(_:)`` gave it.
    public var description: String { shape.description }

    /// Narrows the matcher: it matches where it did before and the predicate also returns true.
    ///
    /// - Parameter predicate: Asked with what the matcher hands on. It is called for every error that gets this far,
    ///   and by `explain`, so it should be cheap and change nothing.
    /// - Returns: The narrowed matcher.
    public func `where`(_ predicate: @escaping @Sendable (Output) -> Bool) -> Self {
        let evaluate = self.evaluate
        return Self(.narrowed(shape)) { subject in
            guard let output = evaluate(&subject), predicate(output) else { return nil }
            return output
        }
    }

    /// Names the matcher: explanations and descriptions show the name in place of what it is made of.
    ///
    /// - Parameter name: The name to show.
    /// - Returns: The same matcher under that name.
    public func named(_ name: String) -> Self {
        Self(.named(name, shape), evaluate)
    }

    /// The same matcher with its output as `any Error`.
    ///
    /// It hands on what the matcher would, if that is an error (an ``anywhere(_:)`` keeps handing on the inner error);
    /// otherwise the error that was matched.
    public var erased: ErrorMatcher<any Error> {
        if let alreadyErased = self as? ErrorMatcher<any Error> { return alreadyErased }
        let evaluate = self.evaluate
        return ErrorMatcher<any Error>(shape) { subject in
            guard let output = evaluate(&subject) else { return nil }
            // Asked of the value: `any LocalizedError` is no `Error` as a type, but what is in it is one.
            return output as? any Error ?? subject.error
        }
    }

    /// Lets a matcher stand in a `catch` or a `case`.
    ///
    /// - Parameters:
    ///   - matcher: The matcher that stands in the pattern.
    ///   - error: The error that was thrown.
    /// - Returns: Whether the matcher matches the error.
    public static func ~= (matcher: Self, error: any Error) -> Bool {
        matcher.match(error) != nil
    }
}
