import BoundedDescriptions
import CodedErrors
import ErrorRouting
import Foundation

/// The names of an error that isn't available itself, because it can't be rebuilt from its record.
///
/// They decide each rule that compares a type, a domain, or a code. A rule that compares a value, calls a predicate, or
/// checks a protocol is undecided. Types with the same name count as the same type. A rule for a class with another
/// name is undecided, because the error's class might inherit from that class.
struct ErrorNames {
    /// The name of the error's type, with its module; see `ErrorReport.typeName`.
    let typeName: String
    /// The error's domain, if it defines one; see `ErrorReport.domainAndCode`.
    private let domain: String?
    /// The error's code, if it defines a domain.
    private let code: Int?
    /// Whether `ErrorMatcher.cancellation` matches the error; nil if that isn't known.
    private let isCancellation: Bool?
    /// The names of all underlying errors, at any depth, in the order of `ErrorReport.trail`; nil if they aren't known.
    ///
    /// For each of these errors, the list is nil, because this list contains its underlying errors.
    private let underlying: [ErrorNames]?
    /// The Foundation error with the domain and code; nil if the error's type isn't one of Foundation's.
    private let foundations: (any Error)?

    init(
        typeName: String, domain: String? = nil, code: Int? = nil, isCancellation: Bool? = nil,
        underlying: [ErrorNames]? = []
    ) {
        (self.typeName, self.domain, self.code) = (typeName, domain, code)
        (self.isCancellation, self.underlying) = (isCancellation, underlying)
        foundations = FoundationErrors.error(typeName: typeName, domain: domain, code: code ?? 0)
    }

    /// Returns whether a matcher matches the error; nil if that can't be determined without the error itself.
    ///
    /// - Complexity: O(number of the matcher's parts × number of underlying errors).
    func isMatched(by shape: MatcherShape) -> Bool? {
        var budget = MatcherShape.partLimit
        let likelihood = likelihood(of: shape, &budget)
        return likelihood == .maybe ? nil : likelihood == .always
    }

    private func likelihood(of shape: MatcherShape, _ budget: inout Int) -> Likelihood {
        budget -= 1
        if budget < 0 { return .maybe }
        func likelihood(_ part: MatcherShape) -> Likelihood { self.likelihood(of: part, &budget) }
        switch shape {
        case .type(let type):
            return self.likelihood(ofType: type)
        case .extracting(let type):
            return min(self.likelihood(ofType: type), .maybe)
        case .value(let value):
            return min(self.likelihood(ofType: type(of: value)), .maybe)
        case .nsError(let domain, let code):
            return self.likelihood(ofDomain: domain, code: code)
        case .conforming(let type, let conforms):
            if let foundations { return conforms(foundations) ? .always : .never }
            return type == (any CancellationConvertible).self && isCancellation == true ? .always : .maybe
        case .predicate:
            return .maybe
        case .any:
            return .always
        case .anywhere(let inner):
            let own = likelihood(inner)
            guard let underlying else { return max(own, .maybe) }
            return underlying.reduce(own) { likeliest, error in max(likeliest, error.likelihood(of: inner, &budget)) }
        case .narrowed(let inner):
            return min(likelihood(inner), .maybe)
        case .either(let parts):
            return parts.reduce(.never) { likeliest, part in max(likeliest, likelihood(part)) }
        case .both(let parts):
            return parts.reduce(.always) { unlikeliest, part in min(unlikeliest, likelihood(part)) }
        case .not(let inner):
            let inner = likelihood(inner)
            return inner == .maybe ? .maybe : inner == .never ? .always : .never
        case .named(_, let inner):
            return likelihood(inner)
        case .cancellation(let inner):
            return isCancellation.map { $0 ? .always : .never } ?? likelihood(inner)
        }
    }

    private func likelihood(ofType type: any Error.Type) -> Likelihood {
        if type == (any Error).self { return .always }
        if let foundations {
            // Compare only the rebuilt error's type. Bridging can't result in another type: the error already has the
            // Swift type of its domain, unless that type doesn't define the code.
            var error = ErrorSubject(foundations)
            if error.likelihood(of: .type(type)) == .certain { return .always }
            // Leave `NSError` undecided: an `NSError` object with such a domain is named after the domain's Swift type.
            return type == NSError.self ? .maybe : .never
        }
        if TypeName.full(type) == typeName { return .always }
        return type is AnyClass ? .maybe : .never
    }

    private func likelihood(ofDomain other: String, code otherCode: Int?) -> Likelihood {
        let other = OneLine.escaped(TypeName.withoutAddresses(other))
        if let domain { return domain == other && (otherCode == nil || otherCode == code) ? .always : .never }
        // Compare the type's name: for other errors, Swift derives the domain from it, and the code from the case.
        return typeName != other ? .never : otherCode == nil ? .always : .maybe
    }
}
