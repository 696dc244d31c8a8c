public import ErrorRecovery
public import ErrorRouting
public import Foundation

/// A response that isn't a success: its status, header fields, and body.
///
/// The description contains only the status, because the rest of a response might be secret.
public struct HTTPFailure: Error, UnderlyingErrorsProviding, RetryAfterProviding {
    /// The maximum size of a stored body: 64 KiB, because many such errors might wait in a queue.
    static let bodyLimit = 1 << 16

    /// The maximum combined size of the stored header fields: 16 KiB.
    static let headerLimit = 1 << 14

    /// The response's status.
    public let status: Int
    /// The header fields, up to 16 KiB.
    ///
    /// A field that doesn't fit is left out.
    public let headers: HTTPHeaders
    /// The body, or its first 64 KiB.
    public let body: Data
    /// How long to wait before trying again, from the field `Retry-After`; nil if the response doesn't contain it.
    ///
    /// Fractions of a second are rounded up to the millisecond. A date is measured from the response's own `Date`
    /// field, and a past date is zero. The value is at most 365 days.
    public let retryAfter: Duration?
    /// The problem that the body describes if its type is `application/problem+json`.
    public let problem: ProblemDetails?

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - status: The response's status.
    ///   - headers: The header fields. Fields beyond 16 KiB are dropped.
    ///   - body: The response's body. Bytes beyond the first 64 KiB are dropped.
    public init(status: Int, headers: HTTPHeaders = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers.limited(to: Self.headerLimit)
        // Copy the prefix, so that the rest of the body can be deallocated.
        self.body = body.count > Self.bodyLimit ? Data(Array(body.prefix(Self.bodyLimit))) : body
        retryAfter = RetryAfter.duration(in: headers)
        let media = headers.contentType
        let json = media?.text == ProblemDetails.mediaType ? self.body.asJSON(charset: media?.charset) : nil
        // error-audit: harmless, because a body that isn't a problem stays in `body`
        problem = json.flatMap { try? JSONDecoder().decode(ProblemDetails.self, from: $0) }
    }

    /// Creates a failure that contains neither header fields nor a body.
    init(status: Int, problem: ProblemDetails?) {
        (self.status, headers, body, retryAfter, self.problem) = (status, [:], Data(), nil, problem)
    }

    init(_ response: TransportResponse) {
        self.init(status: response.status, headers: response.headers, body: response.body)
    }

    /// The problem, which lets `anywhere` find it.
    public var underlyingErrors: [any Error] { problem.map { [$0] } ?? [] }
}

extension HTTPFailure: SecretHolding {
    /// The status, as in `HTTP 503`.
    public var description: String { "HTTP \(status)" }
}
