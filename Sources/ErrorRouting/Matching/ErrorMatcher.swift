import Foundation

/// A value that decides whether it matches an error, and which output an action then receives.
///
/// Create matchers with the factories (``type(_:)``, ``value(_:)``, ``nsError(domain:code:)``, …), combine them with
/// `||`, `&&`, and `!`, and narrow them with ``where(_:)``. Use them in an ``ErrorHandler`` or an ``ErrorMap``, or call
/// them directly:
///
/// ```swift
/// let declined = ErrorMatcher.type(PaymentError.self).where { $0.code == 51 }
/// if let error = declined.match(thrown) { … }
///
/// do { try pay() } catch declined { … }
/// ```
///
/// A matcher is `Sendable` and doesn't store anything between errors, so any number of threads can call it.
public struct ErrorMatcher<Output: Sendable>: Sendable, CustomStringConvertible {
    /// The matcher's structure, for descriptions and for the index of rules.
    let shape: MatcherShape

    /// How a dispatch finds out whether the matcher matches an error of the required type.
    let test: MatcherTest
    /// A predicate that returns true for each error that matches.
    let predicate: ErrorPredicate
    /// The closure that returns the output; nil if the output is the error itself, which must have the output's type.
    let closure: Closure?

    /// The ``MatcherList`` of a chain of `||` or `&&`; nil for other matchers.
    ///
    /// Its declared type isn't generic, because the runtime would look up a generic type for each rule.
    let list: (any AnyObject & Sendable)?
    /// How deeply matchers are nested in this matcher, itself included; at most ``depthLimit``.
    let depth: Int

    typealias Closure = @Sendable (inout ErrorSubject) -> Output?

    /// Creates a matcher that contains matchers of a given depth; crashes if the limit is exceeded.
    @inline(__always)
    init(
        _ shape: MatcherShape, _ test: MatcherTest = .closure, above depth: Int = 0,
        list: (any AnyObject & Sendable)? = nil, _ closure: Closure? = nil,
        predicate: @escaping ErrorPredicate = { _ in true }
    ) {
        (self.shape, self.test, self.predicate, self.closure) = (shape, test, predicate, closure)
        (self.depth, self.list) = (Self.depth(above: depth), list)
    }

    /// The type that an error must have for the matcher to match; nil if errors of several types can match.
    @inline(__always)
    var requiredType: ObjectIdentifier? {
        // Read the test first: most rules match by type alone, so their shape needn't be inspected.
        if test != .certain { return shape.requiredType }
        return Output.self == (any Error).self ? nil : ObjectIdentifier(Output.self)
    }

    /// Returns the matcher's output; nil if it doesn't match.
    func evaluate(_ subject: inout ErrorSubject) -> Output? { Self.evaluate(&subject, predicate, closure) }

    /// Returns the output of a matcher with a given predicate and closure, the only parts that a rule stores.
    static func evaluate(_ subject: inout ErrorSubject, _ predicate: ErrorPredicate, _ closure: Closure?) -> Output? {
        guard predicate(subject.error) else { return nil }
        guard let closure else { return subject.unboxed.content(as: Output.self) }
        return closure(&subject)
    }

    /// Returns the matcher's output for one error.
    ///
    /// - Parameter error: The error to match.
    /// - Returns: The input for an action, or nil if the matcher doesn't match.
    /// - Complexity: Determined by the factory and the combinators that created the matcher.
    public func match(_ error: any Error) -> Output? {
        var subject = ErrorSubject(UnboxedError(error))
        return match(&subject)
    }

    /// Returns the matcher's output; nil if it doesn't match, or if user code is nested too deeply.
    func match(_ subject: inout ErrorSubject) -> Output? {
        guard let entry = PerThread.enterUserCode() else { return nil }
        defer { PerThread.leaveUserCode(entry) }
        return evaluate(&subject)
    }

    /// The matcher as explanations show it: `type(PaymentError)`, or the name that was set with ``named(_:)``.
    public var description: String { shape.description }

    /// Narrows the matcher so that it matches only if a predicate also returns true.
    ///
    /// - Parameter predicate: Receives the matcher's output. It is called for every error that the original matcher
    ///   matches, and by `explain`, so it should be cheap and have no side effects.
    /// - Returns: The narrowed matcher.
    public func `where`(_ predicate: @escaping @Sendable (Output) -> Bool) -> Self {
        Self(.narrowed(shape), above: depth) { subject in
            guard let output = evaluate(&subject), predicate(output) else { return nil }
            return output
        }
    }

    /// Names the matcher: explanations and descriptions show the name instead of the matcher's parts.
    ///
    /// - Parameter name: The name to show.
    /// - Returns: The same matcher under that name.
    public func named(_ name: String) -> Self { described(as: .named(name, shape)) }

    /// Returns the same matcher with another shape, one level deeper.
    func described(as shape: MatcherShape) -> Self {
        Self(shape, test, above: depth, list: list, closure, predicate: predicate)
    }

    /// The same matcher with its output as `any Error`.
    ///
    /// The output stays the same if it is an error: for an ``anywhere(_:)`` matcher, it is the inner error. Otherwise,
    /// it is the matched error.
    var erased: ErrorMatcher<any Error> {
        if let alreadyErased = self as? ErrorMatcher<any Error> { return alreadyErased }
        return ErrorMatcher<any Error>(shape, above: depth - 1) { subject in
            // Cast the value, not the type: `any LocalizedError` isn't an `Error` type, but its value is an error.
            evaluate(&subject).map { $0 as? any Error ?? subject.error }
        }
    }

    /// Makes a matcher usable as the pattern of a `catch` or a `case`.
    ///
    /// - Parameters:
    ///   - matcher: The matcher in the pattern.
    ///   - error: The thrown error.
    /// - Returns: Whether the matcher matches the error.
    public static func ~= (matcher: Self, error: any Error) -> Bool {
        matcher.match(error) != nil
    }
}

/// How a dispatch finds out whether a rule matches an error, and the matcher's output.
///
/// Most rules match by type, value, or domain. For these, the first three tests cost less than a closure that returns
/// the output, and a dispatch carries them out itself. If a dispatch chooses the wrong test, the match fails, because
/// code that reads the error compares the error's type.
enum MatcherTest: Sendable {
    /// Each error matches that has the output's type (each error, if that is `any Error`), and is itself the output.
    case certain
    /// An error matches if the predicate returns true, and is itself the output.
    case predicate
    /// An error matches only if the predicate returns true; the output is the error as an `NSError`.
    ///
    /// An `NSError` object for which the predicate returns true matches. For any other error, the matcher must be
    /// called too.
    case domain
    /// The matcher must be called, unless a plan finds that the type alone decides.
    case closure
}

/// A function that returns whether a matcher matches an error.
typealias ErrorPredicate = @Sendable (any Error) -> Bool
