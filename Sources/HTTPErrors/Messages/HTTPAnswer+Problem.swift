import Foundation

extension HTTPAnswer {
    /// Makes the answer that tells a problem, as a service sends it: `application/problem+json`, by RFC 9457.
    ///
    /// ```swift
    /// let answer = HTTPAnswer(problems[error])    // an ErrorMap<ProblemDetails>
    /// ```
    ///
    /// - Parameter problem: The problem. Where it has no status the answer's is 500. What cannot be written as JSON, a
    ///   number that is none among its extensions say, leaves those out.
    public init(_ problem: ProblemDetails) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var plain = problem
        plain.extensions = [:]
        let body = (try? encoder.encode(problem)) ?? (try? encoder.encode(plain)) ?? Data("{}".utf8)
        self.init(status: problem.status ?? 500, headers: ["Content-Type": ProblemDetails.mediaType], body: body)
    }
}

extension ProblemDetails {
    /// The media type of problems: `application/problem+json`.
    public static let mediaType = "application/problem+json"
}
