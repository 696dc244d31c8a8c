import BoundedDescriptions
import Foundation

/// The names of an error that isn't available itself, such as an error that another process has recorded.
public struct ErrorNames: Sendable, Hashable {
    /// The name of the error's type, with its module; see ``ErrorReport/typeName``.
    var typeName: String
    /// The error's domain, if it defines one; see ``ErrorReport/domainAndCode``.
    var domain: String?
    /// The error's code, if it defines a domain.
    var code: Int?
    /// Whether ``ErrorMatcher/cancellation`` matches the error; nil if that is not known.
    var isCancellation: Bool?
    /// The names of the underlying errors, in the order of ``ErrorReport/trail``; nil if they are not known.
    var underlying: [ErrorNames]?

    /// Creates the names of an error.
    ///
    /// - Parameters:
    ///   - typeName: The name of the error's type, with its module.
    ///   - domain: The error's domain, if it defines one.
    ///   - code: The error's code, if it defines a domain.
    ///   - isCancellation: Whether ``ErrorMatcher/cancellation`` matches the error; nil if that is not known.
    ///   - underlying: The names of the underlying errors; nil if they are not known.
    public init(
        typeName: String, domain: String? = nil, code: Int? = nil, isCancellation: Bool? = nil,
        underlying: [ErrorNames]? = []
    ) {
        (self.typeName, self.domain, self.code) = (typeName, domain, code)
        (self.isCancellation, self.underlying) = (isCancellation, underlying)
    }
}

/// Stands for the error in an explanation.
private struct NamedError: Error, CustomStringConvertible {
    let description: String
}

extension ErrorHandler {
    /// Explains what the handler would do with an error if only its names are known; runs no user code.
    ///
    /// The names decide each rule that compares a type, a domain, or a code. A rule that compares a value, calls a
    /// predicate, or checks a protocol is ``Explanation/Verdict/undecided``. Two types with the same name count as one
    /// type. A rule for a class with another name is undecided, because the error's class might inherit from it.
    ///
    /// - Parameter names: The names of the error.
    /// - Returns: One entry for each rule, in the order in which they are tried. The description has the type's name
    ///   instead of the error.
    /// - Complexity: O(number of rules × number of underlying errors).
    public func explain(named names: ErrorNames) -> Explanation {
        var path = Explanation.Path()
        path.add(rules, of: [], isTriedFirst: true)
        return Explanation(named: names, on: path)
    }
}

extension Explanation {
    /// Evaluates the rules of a path for an error's names.
    init(named names: ErrorNames, on path: Path) {
        let subject = NamedSubject(names)
        self.init(NamedError(description: names.typeName), path) { rule in
            rule.registration.description.storage.shape.matches(subject)
        }
    }
}

/// The names of an error and, if it is one of Foundation's, Foundation's error of that domain and code.
private struct NamedSubject {
    let names: ErrorNames
    let underlying: [NamedSubject]?
    private let foundations: ErrorSubject?

    init(_ names: ErrorNames) {
        self.names = names
        underlying = names.underlying?.map(NamedSubject.init)
        let isFoundations = CodedError.isFoundations(names.typeName)
        foundations =
            isFoundations
            ? names.domain.map { ErrorSubject(UnboxedError(CodedError.foundation($0, names.code ?? 0))) } : nil
    }

    /// Whether the error is of a type; nil if its type's name doesn't decide it.
    func isOf(_ type: Any.Type) -> Bool? {
        if type == (any Error).self { return true }
        if let foundations {
            if matches(type, foundations) { return true }
            // An `NSError` object of such a domain has the name of the domain's Swift type.
            return type == NSError.self ? nil : false
        }
        if TypeName.full(type) == names.typeName { return true }
        return type is AnyClass ? nil : false
    }

    /// Whether the error might equal a value.
    func mayEqual(_ value: any Error) -> Bool {
        isOf(type(of: value)) != false
    }

    private func matches(_ type: Any.Type, _ error: ErrorSubject) -> Bool {
        guard let type = type as? any Error.Type else { return false }
        var error = error
        // Nothing is left to bridge: the error's Swift type has the code, or no Swift type has it.
        return MatcherShape.type(type).likelihood(for: &error) >= .always
    }

    /// Whether the error conforms to a protocol; nil if that is unknown.
    func conforms(to type: Any.Type, _ conforms: (any Error) -> Bool) -> Bool? {
        if let foundations { return conforms(foundations.error) }
        return type == (any CancellationConvertible).self && names.isCancellation == true ? true : nil
    }

    /// Whether the error has a domain and, unless the code is nil, the code; nil if that is unknown.
    func has(_ domain: String, _ code: Int?) -> Bool? {
        let domain = OneLine.escaped(TypeName.withoutAddresses(domain))
        if let own = names.domain { return own == domain && (code == nil || code == names.code) }
        // For other errors, Swift derives the domain from the name, and the code from the number of the case.
        return names.typeName != domain ? false : code == nil ? true : nil
    }
}

extension MatcherShape {
    /// Whether the matcher matches an error by its names; nil if the error itself would decide.
    fileprivate func matches(_ error: NamedSubject) -> Bool? {
        var budget = Self.partLimit
        return matches(error, &budget)
    }

    private func matches(_ error: NamedSubject, _ budget: inout Int) -> Bool? {
        budget -= 1
        if budget < 0 { return nil }
        switch self {
        case .any: return true
        case .type(let type): return error.isOf(type)
        case .extracting(let type): return error.isOf(type) == false ? false : nil
        case .value(let value): return error.mayEqual(value) ? nil : false
        case .nsError(let domain, let code): return error.has(domain, code)
        case .conforming(let type, let conforms): return error.conforms(to: type, conforms)
        case .predicate: return nil
        case .narrowed(let inner): return inner.matches(error, &budget) == false ? false : nil
        case .not(let inner): return inner.matches(error, &budget).map { !$0 }
        case .named(_, let inner):
            if isCancellation, let isCancellation = error.names.isCancellation { return isCancellation }
            return inner.matches(error, &budget)
        case .either(let parts):
            return Self.any(parts.map { $0.matches(error, &budget) })
        case .both(let parts):
            return Self.any(parts.map { $0.matches(error, &budget).map { !$0 } }).map { !$0 }
        case .anywhere(let inner):
            let own = inner.matches(error, &budget)
            guard let underlying = error.underlying else { return own == true ? true : nil }
            return Self.any([own] + underlying.map { inner.matches($0, &budget) })
        }
    }

    /// Whether one of several answers is true; nil if none is true and at least one is unknown.
    private static func any(_ answers: [Bool?]) -> Bool? {
        var result: Bool? = false
        for answer in answers {
            if answer == true { return true }
            if answer == nil { result = nil }
        }
        return result
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
