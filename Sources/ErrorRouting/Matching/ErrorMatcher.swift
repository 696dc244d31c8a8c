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

    /// The matcher's identity, so that a matcher that occurs twice in a combination is called once.
    ///
    /// It is 0 for a matcher by the output's type alone, which calls no user code.
    let id: UInt
    /// The parts of a combination; nil for other matchers.
    let parts: MatcherParts?

    typealias Evaluation = @Sendable (inout ErrorSubject) -> Output?

    @inline(__always)
    init(
        _ shape: MatcherShape, id: UInt = MatcherParts.nextID(), parts: MatcherParts? = nil, _ evaluation: Evaluation?
    ) {
        self.init(shape, { _ in true }, hasPredicate: false, id: id, parts: parts, evaluation)
    }

    @inline(__always)
    init(_ shape: MatcherShape, predicate: @escaping ErrorPredicate, _ evaluation: Evaluation? = nil) {
        self.init(shape, predicate, hasPredicate: true, id: MatcherParts.nextID(), parts: nil, evaluation)
    }

    @inline(__always)
    private init(
        _ shape: MatcherShape, _ predicate: @escaping ErrorPredicate, hasPredicate: Bool, id: UInt,
        parts: MatcherParts?, _ evaluation: Evaluation?
    ) {
        (self.shape, self.predicate, self.hasPredicate) = (shape, predicate, hasPredicate)
        (self.id, self.parts, self.evaluation) = (id, parts, evaluation)
    }

    /// The type that an error must have for the matcher to match.
    @inline(__always)
    var requirement: MatcherShape.Requirement {
        // Most rules match by type alone, which needs no second look at the type.
        id == 0 ? (ObjectIdentifier(Output.self), true) : shape.requirement
    }

    /// Returns the matcher's output, or nil if it doesn't match; a matcher that occurs twice in a combination is called
    /// once.
    func evaluate(_ subject: inout ErrorSubject) -> Output? {
        guard id != 0, let answers = subject.answers else { return Self.evaluate(&subject, predicate, evaluation) }
        if let known = answers[identity] as? MatcherParts.Answer<Output> { return known.output }
        let output = Self.evaluate(&subject, predicate, evaluation)
        subject.answers?[identity] = MatcherParts.Answer(output)
        return output
    }

    /// Returns the output of a matcher with this predicate and this closure; a rule stores only these two.
    static func evaluate(
        _ subject: inout ErrorSubject, _ predicate: ErrorPredicate, _ evaluation: Evaluation?
    ) -> Output? {
        if let evaluation { return evaluation(&subject) }
        if Output.self == NSError.self { return subject.nsError(where: predicate) as? Output }
        guard subject.isExactly(Output.self), predicate(subject.error) else { return nil }
        return unsafe subject.unboxed.content(as: Output.self)
    }

    /// The matcher's ``id`` or, if that is 0, the address of the output's type.
    var identity: UInt { id == 0 ? UInt(bitPattern: ObjectIdentifier(Output.self)) : id }

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
        Self(.narrowed(shape), parts: MatcherParts(of: self)) { subject in
            guard let output = evaluate(&subject), predicate(output) else { return nil }
            return output
        }
    }

    /// Names the matcher: explanations and descriptions show the name instead of the matcher's parts.
    ///
    /// - Parameter name: The name to show.
    /// - Returns: The same matcher under that name.
    public func named(_ name: String) -> Self { described(as: .named(name, shape)) }

    /// The same matcher with another shape.
    func described(as shape: MatcherShape) -> Self {
        Self(shape, predicate, hasPredicate: hasPredicate, id: id, parts: parts, evaluation)
    }

    /// The same matcher with its output as `any Error`.
    ///
    /// Its output is the matcher's output if that is an error (for an ``anywhere(_:)`` matcher, the inner error);
    /// otherwise the matched error.
    var erased: ErrorMatcher<any Error> {
        if let alreadyErased = self as? ErrorMatcher<any Error> { return alreadyErased }
        // Keep the leaf: in `a && (a || b)`, the erased `a` of the inner combination is the outer one.
        let parts = parts ?? (id == 0 ? nil : MatcherParts(of: self))
        return ErrorMatcher<any Error>(shape, id: MatcherParts.erased(identity), parts: parts) { subject in
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
