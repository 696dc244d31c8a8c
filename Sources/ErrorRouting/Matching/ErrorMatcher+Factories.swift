public import Foundation

extension ErrorMatcher where Output: Error {
    /// Matches by the error's dynamic type.
    ///
    /// A struct or an enum matches exactly. A class matches itself and its subclasses.
    ///
    /// On all platforms, `NSError` objects are bridged by their domain to `URLError`, `CocoaError`, and `POSIXError`,
    /// but not to any other type. An `NSError` with a code that the Swift type doesn't define stays an `NSError`,
    /// because on Linux `URLError` and `POSIXError` have closed lists of codes. Match such an object with
    /// ``nsError(domain:code:)``. `NSError.self` doesn't match Swift errors, except for these three types on Apple's
    /// platforms, where boxing them turns them into their `NSError`.
    ///
    /// - Parameter type: The error type to match. `(any Error).self` matches every error.
    /// - Returns: A matcher whose output is the error as that type.
    /// - Complexity: O(1).
    public static func type(_ type: Output.Type) -> Self {
        if Output.self == (any Error).self {
            return Self(.any, .certain)
        }
        if Output.self is AnyClass {
            // Cast the metatype: casting the error to `NSError` would bridge it on Apple platforms. Don't say that the
            // predicate decides: it would then be called as user code, but the comparison with a class is certain.
            return Self(.type(Output.self), predicate: { Swift.type(of: $0) is Output.Type })
        }
        if NSErrorBridge.isBridged(Output.self) {
            return Self(.type(Output.self)) { subject in
                if subject.isNSErrorObject { return NSErrorBridge.swiftError(subject.nsError()) as? Output }
                return subject.unboxed.content(as: Output.self)
            }
        }
        return Self(.type(Output.self), .certain)
    }
}

extension ErrorMatcher where Output: Error & Equatable {
    /// Matches an error of the same dynamic type that equals a value.
    ///
    /// `NSError` objects are compared with `isEqual`. So are `URLError`, `CocoaError`, and `POSIXError`, including with
    /// the `NSError` objects of their domains, which are bridged as described at ``type(_:)``. A value that doesn't
    /// equal itself never matches.
    ///
    /// - Parameter value: The value to compare with.
    /// - Returns: A matcher whose output is the error, which equals `value`.
    /// - Complexity: In a handler or a map, O(1) for any number of values of a `Hashable` type that have rules: up to
    ///   four calls of `==`, or one hash and one `==` for each value with the same hash. For `NSError`, `URLError`,
    ///   `CocoaError`, and `POSIXError`, one `==` for each rule, because their hash traps on Linux for some user infos.
    ///   The same holds for types whose `Hashable` conformance is isolated to a global actor.
    public static func value(_ value: Output) -> Self {
        let (valueType, isObject) = (Swift.type(of: value), Output.self is AnyClass)
        if isObject ? valueType is NSError.Type : NSErrorBridge.isBridged(Output.self) {
            let (typeMatcher, value) = (type(Output.self), NSErrorBridge.object(value as NSError))
            return Self(.value(value)) { subject in
                let error = typeMatcher.evaluate(&subject)
                return error != nil && NSErrorBridge.areEqual(subject.nsError(), value) ? error : nil
            }
        }
        // Check that the value equals itself: if it doesn't, it must not match, even if it equals another value.
        let predicate: ErrorPredicate = { error in
            func equals<Content: Error>(_ content: Content) -> Bool {
                UnboxedError(opened: error).read(content, as: Output.self) { error in
                    error == value && value == value && error == error
                } == true
            }
            return _openExistential(error, do: equals)
        }
        guard isObject else { return Self(.value(value), .predicate, predicate: predicate) }
        return Self(.value(value), .predicate, predicate: { Swift.type(of: $0) == valueType && predicate($0) })
    }
}

extension ErrorMatcher {
    /// Matches errors that conform to a protocol.
    ///
    /// ```swift
    /// .on(matching: .conforming(to: (any LocalizedError).self)) { error in … error.errorDescription … }
    /// ```
    ///
    /// - Parameter type: The protocol as a type, `(any P).self`. A concrete error type matches like ``type(_:)``.
    /// - Returns: A matcher whose output is the error as that type.
    /// - Complexity: O(1): one dynamic cast, which a handler does only once for each type of error.
    public static func conforming(to type: Output.Type) -> Self {
        if let concrete = Output.self as? any Error.Type, let matcher = typeMatcher(concrete) {
            return matcher
        }
        let isClass = Output.self is AnyClass
        let conforms: ErrorPredicate = { isClass ? Swift.type(of: $0) is Output.Type : $0 is Output }
        return Self(.conforming(to: Output.self, conforms)) { subject in
            isClass && !conforms(subject.error) ? nil : subject.error as? Output
        }
    }

    private static func typeMatcher<E: Error>(_ type: E.Type) -> Self? {
        ErrorMatcher<E>.type(type) as? Self
    }

    /// Matches errors from which a part can be extracted, for example the payload of an enum case.
    ///
    /// ```swift
    /// let declined = ErrorMatcher.extracting(PaymentError.self) { error in
    ///     if case .declined(let code) = error { code } else { nil }
    /// }
    /// … .on(matching: declined) { code in … }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The error type to inspect, matched like ``type(_:)``.
    ///   - extract: Returns the part, or nil if the error doesn't match.
    /// - Returns: A matcher whose output is the part.
    /// - Complexity: O(1) for errors of other types; for errors of this type, the same as `extract`.
    public static func extracting<E: Error>(
        _ type: E.Type,
        _ extract: @escaping @Sendable (E) -> Output?
    ) -> Self {
        let matcher = ErrorMatcher<E>.type(E.self)
        return Self(.extracting(E.self)) { subject in matcher.evaluate(&subject).flatMap(extract) }
    }

    /// Matches if the error itself or any of its underlying errors matches.
    ///
    /// The error itself is tried first, then its underlying errors breadth first. The underlying errors are the first
    /// of these that applies:
    /// - the errors that ``UnderlyingErrorsProviding`` returns, if the error conforms;
    /// - the errors for `NSUnderlyingErrorKey` and `NSMultipleUnderlyingErrorsKey`, if the error `as NSError` has such
    ///   a key;
    /// - for structs and enums, the fields and payloads that are errors, including those in optionals, arrays, and one
    ///   intermediate struct or tuple (such as `DecodingError`'s context).
    ///
    /// The walk doesn't inspect objects and actors, because their state might be changing. To include the underlying
    /// errors of an error class, make it conform to ``UnderlyingErrorsProviding``. The walk visits at most 64 errors
    /// and inspects at most 1,024 fields and elements, 16 containers deep. It recognizes cycles.
    ///
    /// Reflecting an `unowned` field whose object no longer exists traps, as it does in `print(error)`. An error that
    /// conforms to ``UnderlyingErrorsProviding`` is never reflected.
    ///
    /// - Parameter matcher: The matcher to apply to the error and its underlying errors.
    /// - Returns: A matcher whose output is that of `matcher` for the first error that it matches. The report that an
    ///   action receives still contains the outer error.
    /// - Complexity: O(number of underlying errors) calls of `matcher`. The walk uses reflection and runs once for an
    ///   error, regardless of the number of such rules. The rule is tried for every error that reaches it, because any
    ///   error might have an underlying error.
    public static func anywhere(_ matcher: ErrorMatcher<Output>) -> Self {
        Self(.anywhere(matcher.shape), above: matcher.depth) { subject in
            matcher.evaluate(&subject) ?? subject.firstUnderlying(matcher.evaluate)
        }
    }
}

extension ErrorMatcher where Output: Error {
    /// Matches if the error itself or any of its underlying errors has a type: ``anywhere(_:)`` with ``type(_:)``.
    ///
    /// - Parameter type: The type to find.
    /// - Returns: A matcher whose output is the first error of that type.
    /// - Complexity: The same as ``anywhere(_:)``.
    public static func causedBy(_ type: Output.Type) -> Self { .anywhere(.type(type)) }
}

extension ErrorMatcher where Output == any Error {
    /// Matches if a predicate returns true.
    ///
    /// - Parameter predicate: The condition. It is called for every error that reaches the rule, and by `explain`, so
    ///   it should be cheap and have no side effects.
    /// - Returns: A matcher whose output is the error.
    /// - Complexity: The same as `predicate`, for every error that reaches the rule. An error's type doesn't determine
    ///   whether the rule can match, so each such rule makes a handler slower.
    public static func predicate(_ predicate: @escaping @Sendable (any Error) -> Bool) -> Self {
        Self(.predicate, .predicate, predicate: predicate)
    }

    /// Matches every error.
    public static var any: Self {
        Self(.any, .certain)
    }
}

extension ErrorMatcher where Output == NSError {
    /// Matches by the domain of `error as NSError` and, if a code is given, by the code.
    ///
    /// It matches both `NSError` objects and Swift errors: `URLError`, `CocoaError`, `POSIXError`, any `CustomNSError`,
    /// and every other Swift error. For the last group, Swift derives the domain from the type's name. All errors of
    /// one Swift type are assumed to have the same domain; the code is read for each error.
    ///
    /// - Parameters:
    ///   - domain: The domain to match.
    ///   - code: The code to match, or nil for every code of the domain.
    /// - Returns: A matcher whose output is the `NSError`.
    /// - Complexity: O(1); an error is bridged at most once, regardless of the number of such rules.
    public static func nsError(domain: String, code: Int? = nil) -> Self {
        Self(.nsError(domain: domain, code: code), .domain) { subject in
            subject.nsError(domain: domain, code: code)
        } predicate: { error in
            TypeDomains.mayHave(error, domain: domain, code: code)
        }
    }
}
