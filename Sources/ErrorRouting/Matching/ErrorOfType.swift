import Foundation

/// The facts that all errors of one type share, taken from one of them.
package struct ErrorOfType {
    private var subject: ErrorSubject

    /// Creates the facts about the errors of an error's type.
    package init(_ error: any Error) { subject = ErrorSubject(UnboxedError(error)) }

    /// Returns how likely a matcher matches an error of the type.
    ///
    /// The result is `certain` only if the output is known to be the error itself. Therefore a combination, whose
    /// output depends on its parts, is limited to `always`.
    ///
    /// - Parameters:
    ///   - shape: The matcher's shape.
    ///   - readsDomain: Whether to bridge the error to read its domain. All errors of a Swift type have the same domain;
    ///     an `NSError` object has its own, which isn't compared.
    package mutating func likelihood(of shape: MatcherShape, readsDomain: Bool = true) -> Likelihood {
        var budget = MatcherShape.partLimit
        return likelihood(of: shape, readsDomain, &budget)
    }

    private mutating func likelihood(
        of shape: MatcherShape, _ readsDomain: Bool, _ budget: inout Int
    ) -> Likelihood {
        budget -= 1
        if budget < 0 { return .maybe }
        func likelihood(_ part: MatcherShape) -> Likelihood { self.likelihood(of: part, readsDomain, &budget) }
        switch shape {
        case .type(let type):
            return self.likelihood(ofType: type)
        case .extracting(let type):
            return min(self.likelihood(ofType: type), .maybe)
        case .value(let value):
            let type = Swift.type(of: value)
            let isOfType = type is NSError.Type ? NSErrorBridge.isNSErrorOrBridged(subject.type) : type == subject.type
            return isOfType ? .maybe : .never
        case .nsError(let domain, let code):
            guard readsDomain, let hasDomain = subject.typeHas(domain: domain) else { return .maybe }
            return !hasDomain ? .never : code == nil ? .always : .maybe
        case .conforming(_, let conforms):
            // Check each object: an `NSError` object might conform through bridging even if its class doesn't.
            return subject.isNSErrorObject ? .maybe : conforms(subject.error) ? .always : .never
        case .predicate:
            return .maybe
        case .any:
            return .certain
        case .anywhere(let inner):
            // If the matcher doesn't match the error itself, it might match an underlying error.
            return likelihood(inner) >= .always ? .always : .maybe
        case .narrowed(let inner):
            return min(likelihood(inner), .maybe)
        case .either(let parts):
            return min(parts.reduce(.never) { likeliest, part in max(likeliest, likelihood(part)) }, .always)
        case .both(let parts):
            return parts.reduce(.always) { unlikeliest, part in min(unlikeliest, likelihood(part)) }
        case .not(let inner):
            let inner = likelihood(inner)
            return inner == .never ? .always : inner == .maybe ? .maybe : .never
        case .named(_, let inner), .cancellation(let inner):
            return likelihood(inner)
        }
    }

    private func likelihood(ofType type: any Error.Type) -> Likelihood {
        if subject.type == type || type == (any Error).self { return .certain }
        if subject.isObject, let descendant = subject.type as? AnyClass, let ancestor = type as? AnyClass {
            func isSubclass<Ancestor>(of ancestor: Ancestor.Type) -> Bool { descendant is Ancestor.Type }
            return _openExistential(ancestor, do: isSubclass) ? .certain : .never
        }
        return subject.isNSErrorObject && NSErrorBridge.isBridged(type) ? .maybe : .never
    }
}
