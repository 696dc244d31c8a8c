import Foundation

/// What an error's dynamic type alone says about whether a matcher matches.
enum TypeVerdict {
    case never
    /// It depends on the error.
    case maybe
    /// It matches; if `isCertain`, its output is the error itself, so that it need not be asked.
    case always(isCertain: Bool)
}

/// The first error of a dynamic type, from which the plan for the type is made.
///
/// Apart from its type, the error is asked only for what all errors of the type have in common: conformances, and a
/// Swift type's domain.
struct TypeExample {
    let error: any Error
    let type: any Error.Type
    /// The domain of a Swift type, if a rule needs it; nil for `NSError` objects, each of which has its own, and if
    /// matchers recurse too deep to bridge the error.
    let domain: String?
    let isNSErrorObject: Bool
    /// The type, if it is a class.
    let ofClass: AnyClass?

    /// - Parameters:
    ///   - error: The error.
    ///   - needsDomain: Whether a rule needs the type's domain: then the error is bridged, which runs user code.
    init(_ error: any Error, needsDomain: Bool) {
        self.error = error
        type = Swift.type(of: error)
        ofClass = type as? AnyClass
        isNSErrorObject = type is NSError.Type
        var subject = ErrorSubject(error)
        domain = needsDomain && !isNSErrorObject ? subject.bridgedIfAllowed()?.domain : nil
    }
}

extension MatcherShape {
    func verdict(for example: TypeExample) -> TypeVerdict {
        switch self {
        case .type(let type):
            return Self.typeVerdict(type, for: example)
        case .value(let value):
            if example.isNSErrorObject { return Swift.type(of: value) is NSError.Type ? .maybe : .never }
            return Swift.type(of: value) == example.type ? .maybe : .never
        case .nsError(let domain, let code):
            guard let known = example.domain else { return .maybe }
            if known != domain { return .never }
            return code == nil ? .always(isCertain: false) : .maybe
        case .conforming(_, let conforms):
            // An `NSError` object may conform by bridging although its class does not, so each is asked.
            if example.isNSErrorObject { return .maybe }
            return conforms(example.error) ? .always(isCertain: false) : .never
        case .extracting(let type):
            return Self.typeVerdict(type, for: example).narrowed
        case .predicate:
            return .maybe
        case .any:
            return .always(isCertain: true)
        case .anywhere(let inner):
            // The error itself is asked first; if it does not match, an underlying error may.
            if case .always = inner.verdict(for: example) { return .always(isCertain: false) }
            return .maybe
        case .narrowed(let inner):
            return inner.verdict(for: example).narrowed
        case .either(let first, let second):
            switch (first.verdict(for: example), second.verdict(for: example)) {
            case (.never, .never): return .never
            case (.always, _), (_, .always): return .always(isCertain: false)
            default: return .maybe
            }
        case .both(let first, let second):
            switch (first.verdict(for: example), second.verdict(for: example)) {
            case (.never, _), (_, .never): return .never
            case (.always, .always): return .always(isCertain: false)
            default: return .maybe
            }
        case .not(let inner):
            switch inner.verdict(for: example) {
            case .never: return .always(isCertain: false)
            case .always: return .never
            case .maybe: return .maybe
            }
        case .named(_, let inner):
            return inner.verdict(for: example)
        }
    }

    private static func typeVerdict(_ type: any Error.Type, for example: TypeExample) -> TypeVerdict {
        if example.type == type || type == (any Error).self { return .always(isCertain: true) }
        if let descendant = example.ofClass, let ancestor = type as? AnyClass {
            return isSubclass(descendant, of: ancestor) ? .always(isCertain: true) : .never
        }
        return example.isNSErrorObject && NSErrorBridge.isBridged(type) ? .maybe : .never
    }

    private static func isSubclass(_ descendant: AnyClass, of ancestor: AnyClass) -> Bool {
        func isMetatype<Ancestor>(of ancestor: Ancestor.Type) -> Bool { descendant is Ancestor.Type }
        return _openExistential(ancestor, do: isMetatype)
    }
}

extension TypeVerdict {
    /// The verdict on a matcher that has one more condition.
    fileprivate var narrowed: TypeVerdict {
        if case .never = self { .never } else { .maybe }
    }
}

// MARK: - What an index can look up

extension MatcherShape {
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
