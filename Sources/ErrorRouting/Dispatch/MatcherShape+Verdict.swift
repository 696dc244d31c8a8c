import Foundation

/// What an error's dynamic type alone says about whether a matcher matches.
struct TypeVerdict {
    static let never = TypeVerdict(mayMatch: false, mayMiss: true)
    static let maybe = TypeVerdict(mayMatch: true, mayMiss: true)
    static let always = TypeVerdict(mayMatch: true, mayMiss: false)
    /// It matches, and its output is the error itself, so that it need not be asked.
    static let certain = TypeVerdict(mayMatch: true, mayMiss: false, isCertain: true)

    let mayMatch: Bool
    let mayMiss: Bool
    var isCertain = false
}

extension MatcherShape {
    /// Compares the matcher with an error's type.
    ///
    /// - Parameters:
    ///   - error: The error, which is asked only for what all errors of its type have in common.
    ///   - domain: The domain of a Swift type; nil if it is not known, and for an `NSError` object.
    func verdict(for error: ErrorSubject, domain: String?) -> TypeVerdict {
        func verdict(_ inner: MatcherShape) -> TypeVerdict { inner.verdict(for: error, domain: domain) }
        switch self {
        case .type(let type):
            return Self.typeVerdict(type, for: error)
        case .extracting(let type):
            return TypeVerdict(mayMatch: Self.typeVerdict(type, for: error).mayMatch, mayMiss: true)
        case .value(let value):
            if Swift.type(of: value) is NSError.Type {
                return NSErrorBridge.isNSErrorOrBridged(error.type) ? .maybe : .never
            }
            return Swift.type(of: value) == error.type ? .maybe : .never
        case .nsError(let required, let code):
            guard let domain else { return .maybe }
            return domain != required ? .never : code == nil ? .always : .maybe
        case .conforming(_, let conforms):
            // An `NSError` object may conform by bridging although its class does not, so each is asked.
            return error.isNSErrorObject ? .maybe : conforms(error.error) ? .always : .never
        case .predicate:
            return .maybe
        case .any:
            return .certain
        case .anywhere(let inner):
            // The error itself is asked first; if it does not match, an underlying error may.
            return TypeVerdict(mayMatch: true, mayMiss: verdict(inner).mayMiss)
        case .narrowed(let inner):
            return TypeVerdict(mayMatch: verdict(inner).mayMatch, mayMiss: true)
        case .either(let first, let second):
            let (first, second) = (verdict(first), verdict(second))
            return TypeVerdict(
                mayMatch: first.mayMatch || second.mayMatch, mayMiss: first.mayMiss && second.mayMiss)
        case .both(let first, let second):
            let (first, second) = (verdict(first), verdict(second))
            return TypeVerdict(
                mayMatch: first.mayMatch && second.mayMatch, mayMiss: first.mayMiss || second.mayMiss)
        case .not(let inner):
            let inner = verdict(inner)
            return TypeVerdict(mayMatch: inner.mayMiss, mayMiss: inner.mayMatch)
        case .named(_, let inner):
            return verdict(inner)
        }
    }

    private static func typeVerdict(_ type: any Error.Type, for error: ErrorSubject) -> TypeVerdict {
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
        case .value(let value): return (Self.exactType(Swift.type(of: value)), false)
        case .narrowed(let inner): return (inner.requirement.type, false)
        case .both(let first, let second): return (first.requirement.type ?? second.requirement.type, false)
        default: return (nil, false)
        }
    }

    private static func exactType(_ type: any Error.Type) -> ObjectIdentifier? {
        type is AnyClass || NSErrorBridge.isBridged(type) || type == (any Error).self ? nil : ObjectIdentifier(type)
    }

    /// The value that an error must equal to match; nil if there is none.
    var requiredValue: (any Error)? {
        switch self {
        case .value(let value): value
        case .narrowed(let inner), .named(_, let inner): inner.requiredValue
        case .both(let first, let second): first.requiredValue ?? second.requiredValue
        default: nil
        }
    }

    /// The domain, and the code unless any will do, that an error must have to match; nil if there is none.
    var requiredDomain: (domain: String, code: Int?)? {
        switch self {
        case .nsError(let domain, let code): (domain, code)
        case .narrowed(let inner), .named(_, let inner): inner.requiredDomain
        case .both(let first, let second): first.requiredDomain ?? second.requiredDomain
        default: nil
        }
    }

    /// The predicate, if it is the only condition.
    var onlyPredicate: (@Sendable (any Error) -> Bool)? {
        switch self {
        case .predicate(let predicate): predicate
        case .named(_, let inner): inner.onlyPredicate
        default: nil
        }
    }

    /// Whether asking the matcher runs user code: a predicate, an `==`, an error's underlying errors, or the code of a
    /// subclass of `NSError`.
    var asksUser: Bool {
        switch self {
        case .conforming, .any: false
        case .type(let type): NSErrorBridge.isBridged(type)
        case .named(_, let inner), .not(let inner): inner.asksUser
        case .either(let first, let second), .both(let first, let second): first.asksUser || second.asksUser
        case .nsError, .value, .extracting, .predicate, .anywhere, .narrowed: true
        }
    }

    /// Whether the match depends on an error's domain.
    var asksDomain: Bool {
        switch self {
        case .nsError: true
        case .named(_, let inner), .not(let inner), .narrowed(let inner), .anywhere(let inner): inner.asksDomain
        case .either(let first, let second), .both(let first, let second): first.asksDomain || second.asksDomain
        case .type, .value, .conforming, .extracting, .predicate, .any: false
        }
    }

    /// Whether ``requiredValue`` or ``requiredDomain`` is the only condition.
    var isPlain: Bool {
        switch self {
        case .value, .nsError: true
        case .named(_, let inner): inner.isPlain
        default: false
        }
    }
}
