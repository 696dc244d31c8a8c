public import ErrorRecovery
public import ErrorRouting
public import Foundation

/// An answer that says no: its status, header fields and body.
///
/// Its description has the status alone: what a server writes about a request may be secret.
public struct HTTPFailure: Error, UnderlyingErrors, RetryAfterProviding {
    /// How much of a body is kept, 64 KiB: an error needs no more, and may wait in a queue with many others.
    public static let bodyLimit = 1 << 16

    /// The status.
    public let status: Int
    /// The header fields.
    public let headers: HTTPHeaders
    /// The body, or its first ``bodyLimit`` bytes.
    public let body: Data
    /// When trying again makes sense, by `Retry-After`; nil where the answer does not say.
    ///
    /// A date is measured from the answer's own `Date`, a past one is zero, and it is at most 365 days.
    public let retryAfter: Duration?
    /// What the body says, where it is `application/problem+json`.
    public let problem: ProblemDetails?

    /// Makes a failure of an answer; also for tests and fakes.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields.
    ///   - body: The body, of which the first ``bodyLimit`` bytes are kept.
    public init(status: Int, headers: HTTPHeaders = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        // A copy, so that the rest can go.
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

    /// The status: what is printed by reflection shall have neither headers nor body.
    public var customMirror: Mirror { Mirror(self, children: ["status": status]) }
}
