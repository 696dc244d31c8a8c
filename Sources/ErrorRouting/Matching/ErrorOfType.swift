import Foundation

/// The facts that all errors of one type share, taken from one of them.
struct ErrorOfType: ComparedError {
    private(set) var subject: ErrorSubject
    /// Whether to bridge the error to read its domain.
    ///
    /// All errors of a Swift type have the same domain; an `NSError` object has its own.
    let readsDomain: Bool

    init(_ subject: ErrorSubject, readsDomain: Bool = false) {
        (self.subject, self.readsDomain) = (subject, readsDomain)
    }

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
        guard readsDomain, let hasDomain = subject.typeHas(domain: domain) else { return .maybe }
        return !hasDomain ? .never : code == nil ? .always : .maybe
    }

    func likelihood(ofConforming type: Any.Type, _ conforms: (any Error) -> Bool) -> Likelihood {
        // Check each object: an `NSError` object might conform through bridging even if its class doesn't.
        subject.isNSErrorObject ? .maybe : conforms(subject.error) ? .always : .never
    }

    var isCancellation: Bool? { nil }
    var underlying: [ErrorOfType]? { nil }

    /// Returns whether a matcher matches all errors of the type, even if their domain isn't read.
    func alwaysMatch(_ shape: MatcherShape) -> Bool {
        var errors = ErrorOfType(subject)
        return shape.likelihood(for: &errors) >= .always
    }
}
