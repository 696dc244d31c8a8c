import BoundedDescriptions
import Foundation

/// The names of an error that isn't available itself, such as an error that another process recorded.
package struct ErrorNames: Sendable, Hashable {
    /// The name of the error's type, with its module; see ``ErrorReport/typeName``.
    var typeName: String
    /// The error's domain, if it defines one; see ``ErrorReport/domainAndCode``.
    var domain: String?
    /// The error's code, if it defines a domain.
    var code: Int?
    /// Whether ``ErrorMatcher/cancellation`` matches the error; nil if that isn't known.
    var isCancellation: Bool?
    /// The names of the underlying errors, in the order of ``ErrorReport/trail``; nil if they aren't known.
    var underlying: [ErrorNames]?

    /// Creates the names of an error.
    ///
    /// - Parameters:
    ///   - typeName: The name of the error's type, with its module.
    ///   - domain: The error's domain, if it defines one.
    ///   - code: The error's code, if it defines a domain.
    ///   - isCancellation: Whether ``ErrorMatcher/cancellation`` matches the error; nil if that isn't known.
    ///   - underlying: The names of all underlying errors, at any depth, in the order of ``ErrorReport/trail``; nil if
    ///     they aren't known. For the underlying errors of each of these, pass nil, because this list contains them.
    package init(
        typeName: String, domain: String? = nil, code: Int? = nil, isCancellation: Bool? = nil,
        underlying: [ErrorNames]? = []
    ) {
        (self.typeName, self.domain, self.code) = (typeName, domain, code)
        (self.isCancellation, self.underlying) = (isCancellation, underlying)
    }
}

/// An error that represents, in an explanation, the error that isn't available.
private struct NamedError: Error, CustomStringConvertible {
    let description: String
}

extension Explanation {
    /// Evaluates the rules of a path for an error that is given by its names.
    init(named names: ErrorNames, on path: [BlockPath.Member]) {
        var error = ErrorByNames(names)
        self.init(NamedError(description: names.typeName), on: path) { rule in
            let likelihood = rule.registration.shape.likelihood(for: &error)
            return likelihood == .maybe ? nil : likelihood >= .always
        }
    }
}

/// The names of an error and, if its type is one of Foundation's, the Foundation error with that domain and code.
private struct ErrorByNames: ComparedError {
    let names: ErrorNames
    let underlying: [ErrorByNames]?
    private let foundations: ErrorOfType?

    init(_ names: ErrorNames) {
        self.names = names
        underlying = names.underlying?.map(ErrorByNames.init)
        let domain = NSErrorBridge.isFoundations(names.typeName) ? names.domain : nil
        foundations = domain.map { domain in
            let error = UnboxedError(NSErrorBridge.error(domain: domain, code: names.code ?? 0))
            return ErrorOfType(ErrorSubject(error))
        }
    }

    var isCancellation: Bool? { names.isCancellation }

    func likelihood(ofType type: any Error.Type) -> Likelihood {
        if type == (any Error).self { return .always }
        if let foundations {
            // Compare the rebuilt error: either its Swift type defines the code, or no Swift type does, so bridging
            // can't help.
            if foundations.likelihood(ofType: type) == .certain { return .always }
            // Leave `NSError` undecided: an `NSError` object with such a domain is named after the domain's Swift type.
            return type == NSError.self ? .maybe : .never
        }
        if TypeName.full(type) == names.typeName { return .always }
        return type is AnyClass ? .maybe : .never
    }

    func likelihood(ofValue value: any Error) -> Likelihood { min(likelihood(ofType: type(of: value)), .maybe) }

    func likelihood(ofDomain domain: String, code: Int?) -> Likelihood {
        let domain = OneLine.escaped(TypeName.withoutAddresses(domain))
        if let own = names.domain { return own == domain && (code == nil || code == names.code) ? .always : .never }
        // Compare the type's name: for other errors, Swift derives the domain from it, and the code from the case.
        return names.typeName != domain ? .never : code == nil ? .always : .maybe
    }

    func likelihood(ofConforming type: Any.Type, _ conforms: (any Error) -> Bool) -> Likelihood {
        if let foundations { return conforms(foundations.subject.error) ? .always : .never }
        return type == (any CancellationConvertible).self && names.isCancellation == true ? .always : .maybe
    }
}
