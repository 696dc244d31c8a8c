import Foundation

/// What an error's dynamic type alone says about whether a matcher matches, in the order of what is the likelier.
enum Likelihood: Comparable {
    case never, maybe, always
    /// It matches, and its output is the error itself, so that it need not be asked.
    case certain
}

extension MatcherShape {
    /// Compares the matcher with an error's type.
    ///
    /// - Parameters:
    ///   - error: The error, which is asked only for what all errors of its type have in common.
    ///   - asksDomain: Whether to bridge the error for its domain, which is that of all errors of a Swift type; an
    ///     `NSError` object has one of its own.
    func likelihood(for error: inout ErrorSubject, asksDomain: Bool = false) -> Likelihood {
        var budget = Self.partLimit
        return likelihood(for: &error, asksDomain, &budget)
    }

    /// How many parts are compared: a combination may have few matchers, but each a million times.
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
            // An `NSError` object may conform by bridging although its class does not, so each is asked.
            return error.isNSErrorObject ? .maybe : conforms(error.error) ? .always : .never
        case .predicate:
            return .maybe
        case .any:
            return .certain
        case .anywhere(let inner):
            // The error itself is asked first; if it does not match, an underlying error may.
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

// MARK: - What an index can look up

extension MatcherShape {
    typealias Requirement = (type: ObjectIdentifier?, isOnlyType: Bool)

    /// The type that an error must have to match, unless others may match too, as objects of a subclass do; and whether
    /// every error of that type matches, or every error if there is none, and the output is the error itself.
    var requirement: Requirement {
        switch self {
        case .type(let type):
            let type = Self.exactType(type)
            return (type, type != nil)
        case .any: return (nil, true)
        case .named(_, let inner): return inner.requirement
        case .extracting(let type): return (Self.exactType(type), false)
        // Of the box, since the runtime takes longer to say a value's own; an object's is none that is exact either way.
        case .value(let value): return (Self.exactType(ErrorBox.contentType(of: value)), false)
        case .narrowed(let inner): return (inner.requirement.type, false)
        case .both(let parts): return (parts.lazy.compactMap(\.requirement.type).first, false)
        default: return (nil, false)
        }
    }

    /// A type that an error must have exactly; nil of one whose matches may have others.
    static func exactType(_ type: Any.Type) -> ObjectIdentifier? {
        type is AnyClass || NSErrorBridge.isBridged(type) || type == (any Error).self ? nil : ObjectIdentifier(type)
    }

    /// What an index can look up: a `value` or an `nsError` that an error has to be like, and whether that is the only
    /// condition; nil if there is none.
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
