import Foundation

/// What is known of a matcher from an error's dynamic type alone.
enum TypeVerdict {
    case never
    /// It depends on the error.
    case maybe
    /// It matches; and `isCertain` means that it hands the error on as it is, so it need not be asked.
    case always(isCertain: Bool)
}

/// An error by which a dynamic type is judged for the first time.
///
/// All but the type is asked only where it is the same for every error of the type: its conformances, and a Swift
/// type's domain.
struct TypeExample {
    let error: any Error
    let type: any Error.Type
    /// The domain of a Swift type, if a rule needs it; nil for `NSError` objects, each of which has its own, and where
    /// it must not be asked, since the error is asking about itself.
    let domain: String?

    let isNSErrorObject: Bool

    /// The type, if it is a class.
    let ofClass: AnyClass?

    /// - Parameters:
    ///   - error: The error.
    ///   - needsDomain: Whether the type's domain is to be asked, which bridges the error: that runs code of the
    ///     user's.
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
            // Bridging could make more of an `NSError` object than its class says, so each is asked.
            if example.isNSErrorObject { return .maybe }
            return conforms(example.error) ? .always(isCertain: false) : .never
        case .extracting(let type):
            return Self.typeVerdict(type, for: example).narrowed
        case .predicate:
            return .maybe
        case .any:
            return .always(isCertain: true)
        case .anywhere(let inner):
            // The error itself goes first; if it does not match, something under it may.
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
    /// The verdict on a matcher that asks for more.
    fileprivate var narrowed: TypeVerdict {
        if case .never = self { .never } else { .maybe }
    }
}

// MARK: - What an index can look up

extension MatcherShape {
    /// The value that an error must equal, if it must equal one.
    var requiredValue: (any Error)? {
        switch self {
        case .value(let value): value
        case .narrowed(let inner), .named(_, let inner): inner.requiredValue
        case .both(let first, let second): first.requiredValue ?? second.requiredValue
        default: nil
        }
    }

    /// The domain, and the code if there is one, that an error must have, if it must have any.
    var requiredDomain: (domain: String, code: Int?)? {
        switch self {
        case .nsError(let domain, let code): (domain, code)
        case .narrowed(let inner), .named(_, let inner): inner.requiredDomain
        case .both(let first, let second): first.requiredDomain ?? second.requiredDomain
        default: nil
        }
    }

    /// Whether to ask the matcher runs code of the user's: a predicate, an `==`, what an error says is under it, the
    /// code of a subclass of `NSError`.
    var asksUser: Bool {
        switch self {
        case .conforming, .any: false
        case .type(let type): NSErrorBridge.isBridged(type)
        case .named(_, let inner), .not(let inner): inner.asksUser
        case .either(let first, let second), .both(let first, let second): first.asksUser || second.asksUser
        case .nsError, .value, .extracting, .predicate, .anywhere, .narrowed: true
        }
    }

    /// Whether what it matches depends on an error's domain.
    var asksDomain: Bool {
        switch self {
        case .nsError: true
        case .named(_, let inner), .not(let inner), .narrowed(let inner), .anywhere(let inner): inner.asksDomain
        case .either(let first, let second), .both(let first, let second): first.asksDomain || second.asksDomain
        case .type, .value, .conforming, .extracting, .predicate, .any: false
        }
    }

    /// Whether ``requiredDomain`` is all that is asked.
    var isPlainDomain: Bool {
        switch self {
        case .nsError: true
        case .named(_, let inner): inner.isPlainDomain
        default: false
        }
    }

    /// Whether equality with ``requiredValue`` is all that is asked.
    var isPlainValue: Bool {
        switch self {
        case .value: true
        case .named(_, let inner): inner.isPlainValue
        default: false
        }
    }
}
