import Foundation

/// How likely a match is, given some facts about an error such as its dynamic type; in increasing order.
package enum Likelihood: Comparable {
    case never, maybe, always
    /// The matcher matches and its output is the error itself, so the matcher needn't be called.
    case certain
}

extension ErrorSubject {
    /// Returns how likely a matcher matches errors of the error's type.
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
        func likelihood(_ shape: MatcherShape) -> Likelihood {
            budget -= 1
            if budget < 0 { return .maybe }
            switch shape {
            case .type(let type):
                return self.likelihood(ofType: type)
            case .extracting(let type):
                return min(self.likelihood(ofType: type), .maybe)
            case .value(let value):
                // On Apple's platforms, errors of the three bridged types become objects when they are boxed.
                let isBridged = Swift.type(of: value) is NSError.Type
                let isNSError = isNSErrorObject || NSErrorBridge.isBridged(type)
                return (isBridged ? isNSError : Swift.type(of: value) == type) ? .maybe : .never
            case .nsError(let domain, let code):
                guard readsDomain, let hasDomain = typeHas(domain: domain) else { return .maybe }
                return !hasDomain ? .never : code == nil ? .always : .maybe
            case .conforming(_, let conforms):
                // Check each object: an `NSError` object might conform through bridging even if its class doesn't.
                return isNSErrorObject ? .maybe : conforms(error) ? .always : .never
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
        return likelihood(shape)
    }

    private func likelihood(ofType wanted: any Error.Type) -> Likelihood {
        if wanted == type || wanted == (any Error).self { return .certain }
        if isObject, let descendant = type as? AnyClass, let ancestor = wanted as? AnyClass {
            func isSubclass<Ancestor>(of ancestor: Ancestor.Type) -> Bool { descendant is Ancestor.Type }
            return _openExistential(ancestor, do: isSubclass) ? .certain : .never
        }
        return isNSErrorObject && NSErrorBridge.isBridged(wanted) ? .maybe : .never
    }
}
