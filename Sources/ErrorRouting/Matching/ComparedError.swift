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
