import Foundation

/// A value that decides whether it matches an error, and with which output for the action.
///
/// Matchers are created with the factories (``type(_:)``, ``value(_:)``, ``nsError(domain:code:)``, …), combined with
/// `||`, `&&`, and `!`, and narrowed with ``where(_:)``. Use them in an ``ErrorHandler`` or an ``ErrorMap``, or call
/// them directly:
///
/// ```swift
/// let declined = ErrorMatcher.type(PaymentError.self).where { $0.code == 51 }
/// if let error = declined.match(thrown) { … }
///
/// do { try pay() } catch declined { … }
/// ```
///
/// A matcher is `Sendable` and stores nothing between errors, so any number of threads can call it.
public struct ErrorMatcher<Output: Sendable>: Sendable, CustomStringConvertible {
    /// The matcher's structure, for descriptions and for the index of the rules.
    let shape: MatcherShape

    /// The predicate that a rule calls instead of ``evaluation``, because it costs less.
    ///
    /// The matcher matches if the predicate returns true, and the output is the error. For a matcher by domain, that
    /// holds for `NSError` objects; for another error, the result is only whether it might match. It is called only for
    /// errors of the type that the shape requires.
    let predicate: ErrorPredicate
    /// Whether there is such a predicate; if not, ``predicate`` is true for every error.
    let hasPredicate: Bool

    /// The closure that ``evaluate(_:)`` calls instead of its own two paths.
    ///
    /// It is nil if the error's dynamic type must be the output's, a struct or an enum, and the predicate, if any, must
    /// return true. It is also nil for a matcher by domain, which has an `NSError` as its output.
    ///
    /// Most rules match such errors, and a closure would be an allocation for each rule.
    let evaluation: Evaluation?

    /// The matchers of a chain of `||` or `&&`; nil for other matchers.
    let list: MatcherList<Output>?
    /// The number of matchers within one another, at most ``depthLimit``.
    let depth: Int

    typealias Evaluation = @Sendable (inout ErrorSubject) -> Output?

    @inline(__always)
    init(_ shape: MatcherShape, depth: Int = 1, list: MatcherList<Output>? = nil, _ evaluation: Evaluation?) {
        self.init(shape, { _ in true }, hasPredicate: false, depth: depth, list: list, evaluation)
    }

    @inline(__always)
    init(_ shape: MatcherShape, predicate: @escaping ErrorPredicate, _ evaluation: Evaluation? = nil) {
        self.init(shape, predicate, hasPredicate: true, depth: 1, list: nil, evaluation)
    }

    @inline(__always)
    private init(
        _ shape: MatcherShape, _ predicate: @escaping ErrorPredicate, hasPredicate: Bool, depth: Int,
        list: MatcherList<Output>?, _ evaluation: Evaluation?
    ) {
        (self.shape, self.predicate, self.hasPredicate) = (shape, predicate, hasPredicate)
        (self.depth, self.list, self.evaluation) = (depth, list, evaluation)
    }

    /// The type that an error must have for the matcher to match.
    @inline(__always)
    var requirement: MatcherShape.Requirement {
        // Most rules match by type alone, which needs no second look at the type.
        evaluation == nil && !hasPredicate ? (ObjectIdentifier(Output.self), true) : shape.requirement
    }

    /// Returns the matcher's output; nil if it doesn't match.
    func evaluate(_ subject: inout ErrorSubject) -> Output? { Self.evaluate(&subject, predicate, evaluation) }

    /// Returns the output of a matcher with this predicate and this closure; a rule stores only these two.
    static func evaluate(
        _ subject: inout ErrorSubject, _ predicate: ErrorPredicate, _ evaluation: Evaluation?
    ) -> Output? {
        if let evaluation { return evaluation(&subject) }
        if Output.self == NSError.self { return subject.nsError(where: predicate) as? Output }
        guard subject.isExactly(Output.self), predicate(subject.error) else { return nil }
        return unsafe subject.unboxed.content(as: Output.self)
    }

    /// Returns the matcher's output for one error.
    ///
    /// - Parameter error: The error to match.
    /// - Returns: The action's input, or nil if the matcher doesn't match.
    /// - Complexity: That of the factory and the combinators that created the matcher.
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

    /// Calls a closure with an error that is certain to match, as the matcher's output, without a cast at run time.
    ///
    /// - Precondition: The content of the box is an `Output`, or `Output` is `any Error`.
    @inline(__always)
    static func handOn<Content: Error, Result>(
        _ content: Content, _ error: UnboxedError, to receive: (Output) throws -> Result
    ) rethrows -> Result {
        Output.self == (any Error).self
            ? try receive(unsafe BoxContent.box(of: error.error, as: Output.self))
            : try receive(unsafe BoxContent.content(content, as: Output.self))
    }

    /// The matcher as an explanation shows it: `type(PaymentError)`, or the name that ``named(_:)`` gave it.
    public var description: String { shape.description }

    /// Narrows the matcher: it matches only if the predicate returns true as well.
    ///
    /// - Parameter predicate: Receives the matcher's output. It is called for every error that the matcher matches, and
    ///   by `explain`, so it should be cheap and have no side effects.
    /// - Returns: The narrowed matcher.
    public func `where`(_ predicate: @escaping @Sendable (Output) -> Bool) -> Self {
        Self(.narrowed(shape), depth: Self.depth(above: depth)) { subject in
            guard let output = evaluate(&subject), predicate(output) else { return nil }
            return output
        }
    }

    /// Names the matcher: explanations and descriptions show the name instead of the matcher's parts.
    ///
    /// - Parameter name: The name to show.
    /// - Returns: The same matcher under that name.
    public func named(_ name: String) -> Self { described(as: .named(name, shape)) }

    /// The same matcher with another shape, one level deeper.
    func described(as shape: MatcherShape) -> Self {
        let depth = Self.depth(above: depth)
        return Self(shape, predicate, hasPredicate: hasPredicate, depth: depth, list: list, evaluation)
    }

    /// The same matcher with its output as `any Error`.
    ///
    /// Its output is the matcher's output if that is an error (for an ``anywhere(_:)`` matcher, the inner error);
    /// otherwise the matched error.
    var erased: ErrorMatcher<any Error> {
        if let alreadyErased = self as? ErrorMatcher<any Error> { return alreadyErased }
        return ErrorMatcher<any Error>(shape, depth: depth) { subject in
            guard let output = evaluate(&subject) else { return nil }
            // Cast the value, not the type: `any LocalizedError` isn't an `Error` type, but its content is an error.
            return output as? any Error ?? subject.error
        }
    }

    /// Lets a matcher be the pattern of a `catch` or a `case`.
    ///
    /// - Parameters:
    ///   - matcher: The matcher in the pattern.
    ///   - error: The thrown error.
    /// - Returns: Whether the matcher matches the error.
    public static func ~= (matcher: Self, error: any Error) -> Bool {
        matcher.match(error) != nil
    }
}

/// A function that returns whether a matcher matches an error.
typealias ErrorPredicate = @Sendable (any Error) -> Bool
