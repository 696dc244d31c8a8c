public import ErrorRecovery
public import ErrorRouting
public import Foundation

/// An answer that is not a success: its status, header fields and body.
///
/// The description contains only the status, since the rest of an answer may be secret.
public struct HTTPFailure: Error, UnderlyingErrors, RetryAfterProviding {
    /// The most bytes of a body that are kept: 64 KiB, since many such errors may wait in a queue.
    public static let bodyLimit = 1 << 16

    /// The status.
    public let status: Int
    /// The header fields.
    public let headers: HTTPHeaders
    /// The body, or its first ``bodyLimit`` bytes.
    public let body: Data
    /// How long to wait before trying again, by the field `Retry-After`; nil if the answer does not say.
    ///
    /// A date is measured from the answer's own `Date`. A past date is zero. The value is at most 365 days.
    public let retryAfter: Duration?
    /// The problem that the body describes, if it is `application/problem+json`.
    public let problem: ProblemDetails?

    /// Makes a failure.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields.
    ///   - body: The body, of which the first ``bodyLimit`` bytes are kept.
    public init(status: Int, headers: HTTPHeaders = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        // A copy, so that the rest of the body is deallocated.
        self.body = body.count > Self.bodyLimit ? Data(Array(body.prefix(Self.bodyLimit))) : body
        retryAfter = headers["Retry-After"].flatMap { RetryAfter.duration($0, since: headers["Date"]) }
        let isProblem = headers["Content-Type"].map { MediaType($0).isProblem } ?? false
        problem = isProblem ? try? JSONDecoder().decode(ProblemDetails.self, from: self.body) : nil
    }

    init(_ answer: HTTPAnswer) {
        self.init(status: answer.status, headers: answer.headers, body: answer.body)
    }

    /// The problem, so that `anywhere` finds it.
    public var underlyingErrors: [any Error] { problem.map { [$0] } ?? [] }
}

extension HTTPFailure: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status.
    public var description: String { "HTTP \(status)" }

    /// The status.
    public var debugDescription: String { description }

    /// A mirror with the status alone, so that reflection prints neither headers nor body.
    public var customMirror: Mirror { Mirror(self, children: ["status": status]) }
}
