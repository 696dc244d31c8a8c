/// How likely a match is, given some facts about an error such as its dynamic type; in increasing order.
enum Likelihood: Comparable {
    case never, maybe, always
    /// The matcher matches and its output is the error itself, so the matcher needn't be called.
    case certain
}

/// What a matcher's parts are compared with: facts about one error, or about all errors of a type.
protocol ComparedError {
    /// Returns how likely a matcher by type matches.
    func likelihood(ofType type: any Error.Type) -> Likelihood
    /// Returns how likely a matcher by value matches.
    func likelihood(ofValue value: any Error) -> Likelihood
    /// Returns how likely a matcher by domain and code matches.
    mutating func likelihood(ofDomain domain: String, code: Int?) -> Likelihood
    /// Returns how likely a matcher by conformance matches.
    func likelihood(ofConforming type: Any.Type, _ conforms: (any Error) -> Bool) -> Likelihood
    /// Whether the error is a cancellation; nil if the parts of the cancellation matcher must decide.
    var isCancellation: Bool? { get }
    /// The underlying errors; nil if they aren't known.
    var underlying: [Self]? { get }
}

extension MatcherShape {
    /// Returns how likely the matcher matches an error.
    ///
    /// The result is `certain` only if the output is known to be the error itself. Therefore a combination, whose
    /// output depends on its parts, is limited to `always`.
    func likelihood(for error: inout some ComparedError) -> Likelihood {
        var budget = Self.partLimit
        return likelihood(for: &error, &budget)
    }

    /// The maximum number of parts to compare: a combination might contain only few matchers, but each a million times.
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
            // Compare the error itself first; if the matcher doesn't match it, an underlying error might match.
            var likeliest = min(likelihood(inner), .always)
            guard let underlying = error.underlying else { return max(.maybe, likeliest) }
            for var error in underlying { likeliest = max(likeliest, inner.likelihood(for: &error, &budget)) }
            return min(likeliest, .always)
        case .narrowed(let inner):
            return min(likelihood(inner), .maybe)
        case .either(let parts):
            return min(parts.reduce(.never) { likeliest, part in max(likeliest, likelihood(part)) }, .always)
        case .both(let parts):
            return parts.reduce(.always) { unlikeliest, part in min(unlikeliest, likelihood(part)) }
        case .not(let inner):
            let inner = likelihood(inner)
            return inner == .never ? .always : inner == .maybe ? .maybe : .never
        case .named(_, let inner):
            return likelihood(inner)
        case .cancellation(let inner):
            guard let isCancellation = error.isCancellation else { return likelihood(inner) }
            return isCancellation ? .always : .never
        }
    }
}
