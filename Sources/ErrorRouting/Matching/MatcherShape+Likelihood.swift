import Foundation

/// The likelihood of a match by an error's dynamic type alone, in increasing order.
enum Likelihood: Comparable {
    case never, maybe, always
    /// The matcher matches and its output is the error itself, so it needn't be called.
    case certain
}

extension MatcherShape {
    /// Compares the matcher with an error's type.
    ///
    /// - Parameters:
    ///   - error: The error; only properties that all errors of its type share are read.
    ///   - asksDomain: Whether to bridge the error for its domain. All errors of a Swift type have the same domain; an
    ///     `NSError` object has its own.
    func likelihood(for error: inout ErrorSubject, asksDomain: Bool = false) -> Likelihood {
        var budget = Self.partLimit
        return likelihood(for: &error, asksDomain, &budget)
    }

    /// The number of parts to compare; a combination might contain few matchers, but each a million times.
    static let partLimit = 1_024

    private func likelihood(
        for error: inout ErrorSubject, _ asksDomain: Bool, _ budget: inout Int
    ) -> Likelihood {
        budget -= 1
        if budget < 0 { return .maybe }
        func likelihood(_ inner: MatcherShape) -> Likelihood { inner.likelihood(for: &error, asksDomain, &budget) }
        switch self {
        case .type(let type):
            return Self.typeLikelihood(type, for: error)
        case .extracting(let type):
            return min(Self.typeLikelihood(type, for: error), .maybe)
        case .value(let value):
            if Swift.type(of: value) is NSError.Type {
                return NSErrorBridge.isNSErrorOrBridged(error.type) ? .maybe : .never
            }
            return Swift.type(of: value) == error.type ? .maybe : .never
        case .nsError(let required, let code):
            guard asksDomain, let hasDomain = error.typeHas(domain: required) else { return .maybe }
            return !hasDomain ? .never : code == nil ? .always : .maybe
        case .conforming(_, let conforms):
            // Check each object: an `NSError` object might conform through bridging although its class doesn't.
            return error.isNSErrorObject ? .maybe : conforms(error.error) ? .always : .never
        case .predicate:
            return .maybe
        case .any:
            return .certain
        case .anywhere(let inner):
            // The error itself comes first; if it doesn't match, an underlying error might.
            return max(.maybe, min(likelihood(inner), .always))
        case .narrowed(let inner):
            return min(likelihood(inner), .maybe)
        case .either(let parts):
            var likeliest = Likelihood.never
            for part in parts { likeliest = max(likeliest, likelihood(part)) }
            return min(likeliest, .always)
        case .both(let parts):
            var unlikeliest = Likelihood.always
            for part in parts { unlikeliest = min(unlikeliest, likelihood(part)) }
            return unlikeliest
        case .not(let inner):
            let inner = likelihood(inner)
            return inner == .never ? .always : inner == .maybe ? .maybe : .never
        case .named(_, let inner):
            return likelihood(inner)
        }
    }

    private static func typeLikelihood(_ type: any Error.Type, for error: ErrorSubject) -> Likelihood {
        if error.type == type || type == (any Error).self { return .certain }
        if error.isObject, let descendant = error.type as? AnyClass, let ancestor = type as? AnyClass {
            return isSubclass(descendant, of: ancestor) ? .certain : .never
        }
        return error.isNSErrorObject && NSErrorBridge.isBridged(type) ? .maybe : .never
    }

    private static func isSubclass(_ descendant: AnyClass, of ancestor: AnyClass) -> Bool {
        func isMetatype<Ancestor>(of ancestor: Ancestor.Type) -> Bool { descendant is Ancestor.Type }
        return _openExistential(ancestor, do: isMetatype)
    }
}

// MARK: - Keys of an index

extension MatcherShape {
    typealias Requirement = (type: ObjectIdentifier?, isOnlyType: Bool)

    /// The type that an error must have to match, unless other types can match too, such as subclasses; and whether
    /// every error of that type (or, without one, every error) matches with itself as the output.
    var requirement: Requirement {
        switch self {
        case .type(let type):
            let type = Self.exactType(type)
            return (type, type != nil)
        case .any: return (nil, true)
        case .named(_, let inner): return inner.requirement
        case .extracting(let type): return (Self.exactType(type), false)
        // Use the static type of the box: the runtime takes longer to return a value's own type. For an object, neither
        // type is exact.
        case .value(let value): return (Self.exactType(UnboxedError.contentType(of: value)), false)
        case .narrowed(let inner): return (inner.requirement.type, false)
        case .both(let parts): return (parts.lazy.compactMap(\.requirement.type).first, false)
        default: return (nil, false)
        }
    }

    /// A type that an error must have exactly; nil if matching errors might have others.
    static func exactType(_ type: Any.Type) -> ObjectIdentifier? {
        type is AnyClass || NSErrorBridge.isBridged(type) || type == (any Error).self ? nil : ObjectIdentifier(type)
    }

    /// The key that an index can look up, a `value` or an `nsError`, and whether it is the only condition; nil without
    /// a key.
    var key: (shape: MatcherShape, isAll: Bool)? {
        switch self {
        case .value, .nsError: (self, true)
        case .named(_, let inner): inner.key
        case .narrowed(let inner): inner.key.map { ($0.shape, false) }
        case .both(let parts): parts.lazy.compactMap(\.key).first.map { ($0.shape, false) }
        default: nil
        }
    }

    /// Whether a domain, and maybe a code, is the only condition.
    var isDomain: Bool {
        switch self {
        case .nsError: true
        case .named(_, let inner): inner.isDomain
        default: false
        }
    }
}
