import Foundation

/// The likelihood of a match by some facts about an error, such as its dynamic type, in increasing order.
enum Likelihood: Comparable {
    case never, maybe, always
    /// The matcher matches and its output is the error itself, so it needn't be called.
    case certain
}

/// The facts about an error, or about all errors of its type, that the parts of a matcher are compared with.
protocol ComparedError {
    /// The likelihood that a matcher by type matches.
    func likelihood(ofType type: any Error.Type) -> Likelihood
    /// The likelihood that a matcher by value matches.
    func likelihood(ofValue value: any Error) -> Likelihood
    /// The likelihood that a matcher by domain and code matches.
    mutating func likelihood(ofDomain domain: String, code: Int?) -> Likelihood
    /// The likelihood that a matcher by conformance matches.
    func likelihood(ofConforming type: Any.Type, _ conforms: (any Error) -> Bool) -> Likelihood
    /// Whether the error is a cancellation; nil if the parts of the matcher decide.
    var isCancellation: Bool? { get }
    /// The underlying errors; nil if they aren't known.
    var underlying: [Self]? { get }
}

extension MatcherShape {
    /// Compares the matcher with an error.
    func likelihood(for error: inout some ComparedError) -> Likelihood {
        var budget = Self.partLimit
        return likelihood(for: &error, &budget)
    }

    /// The number of parts to compare; a combination might contain few matchers, but each a million times.
    static let partLimit = 1_024

    private func likelihood<Compared: ComparedError>(for error: inout Compared, _ budget: inout Int) -> Likelihood {
        budget -= 1
        if budget < 0 { return .maybe }
        func likelihood(_ inner: MatcherShape) -> Likelihood { inner.likelihood(for: &error, &budget) }
        switch self {
        case .type(let type):
            return error.likelihood(ofType: type)
        case .extracting(let type):
            return min(error.likelihood(ofType: type), .maybe)
        case .value(let value):
            return error.likelihood(ofValue: value)
        case .nsError(let domain, let code):
            return error.likelihood(ofDomain: domain, code: code)
        case .conforming(let type, let conforms):
            return error.likelihood(ofConforming: type, conforms)
        case .predicate:
            return .maybe
        case .any:
            return .certain
        case .anywhere(let inner):
            // The error itself comes first; if it doesn't match, an underlying error might.
            var likeliest = min(likelihood(inner), .always)
            guard let underlying = error.underlying else { return max(.maybe, likeliest) }
            for var error in underlying { likeliest = max(likeliest, inner.likelihood(for: &error, &budget)) }
            return min(likeliest, .always)
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
            if let known = error.isCancellation, isCancellation { return known ? .always : .never }
            return likelihood(inner)
        }
    }

    /// Whether this is ``ErrorMatcher/cancellation``.
    private var isCancellation: Bool {
        guard case .named("cancellation", .either(let parts)) = self, parts.count == 2,
            case .type(let type) = parts[0], type == CancellationError.self,
            case .narrowed(.conforming(let inner, _)) = parts[1]
        else { return false }
        return inner == (any CancellationConvertible).self
    }
}

/// The facts that all errors of an error's type share.
struct ErrorOfType: ComparedError {
    private(set) var subject: ErrorSubject
    /// Whether to bridge the error for its domain.
    ///
    /// All errors of a Swift type have the same domain; an `NSError` object has its own.
    let asksDomain: Bool

    init(_ subject: ErrorSubject, asksDomain: Bool = false) { (self.subject, self.asksDomain) = (subject, asksDomain) }

    func likelihood(ofType type: any Error.Type) -> Likelihood {
        if subject.type == type || type == (any Error).self { return .certain }
        if subject.isObject, let descendant = subject.type as? AnyClass, let ancestor = type as? AnyClass {
            func isSubclass<Ancestor>(of ancestor: Ancestor.Type) -> Bool { descendant is Ancestor.Type }
            return _openExistential(ancestor, do: isSubclass) ? .certain : .never
        }
        return subject.isNSErrorObject && NSErrorBridge.isBridged(type) ? .maybe : .never
    }

    func likelihood(ofValue value: any Error) -> Likelihood {
        let type = Swift.type(of: value)
        let isOfType = type is NSError.Type ? NSErrorBridge.isNSErrorOrBridged(subject.type) : type == subject.type
        return isOfType ? .maybe : .never
    }

    mutating func likelihood(ofDomain domain: String, code: Int?) -> Likelihood {
        guard asksDomain, let hasDomain = subject.typeHas(domain: domain) else { return .maybe }
        return !hasDomain ? .never : code == nil ? .always : .maybe
    }

    func likelihood(ofConforming type: Any.Type, _ conforms: (any Error) -> Bool) -> Likelihood {
        // Check each object: an `NSError` object might conform through bridging although its class doesn't.
        subject.isNSErrorObject ? .maybe : conforms(subject.error) ? .always : .never
    }

    var isCancellation: Bool? { nil }
    var underlying: [ErrorOfType]? { nil }

    /// Whether a matcher matches all errors of the type, regardless of the domain.
    func alwaysMatch(_ shape: MatcherShape) -> Bool {
        var errors = ErrorOfType(subject)
        return shape.likelihood(for: &errors) >= .always
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
