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
