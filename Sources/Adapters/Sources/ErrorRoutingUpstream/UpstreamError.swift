public import ErrorRecovery
public import ErrorRouting
import Foundation

/// The failure of a service that a request or call needs.
///
/// Fingerprints, flood limits, and counter dimensions distinguish the cases. The report's source is the file and line
/// that called `upstream`, so they distinguish the calls of a service too.
public enum UpstreamError: Error, UnderlyingErrorsProviding, CustomStringConvertible {
    /// The service took too long to answer or to continue.
    case timeout(any Error, ErrorReport.Source)
    /// The service didn't answer: no connection could be established, the connection broke, or the answer violated the
    /// protocol.
    case connection(any Error, ErrorReport.Source)
    /// The response body ended early.
    case body(any Error, ErrorReport.Source)

    /// The client's error.
    public var underlyingErrors: [any Error] {
        switch self {
        case .timeout(let error, _), .connection(let error, _), .body(let error, _): [error]
        }
    }

    /// The file and line that called `upstream`.
    public var source: ErrorReport.Source {
        switch self {
        case .timeout(_, let source), .connection(_, let source), .body(_, let source): source
        }
    }

    /// A sentence about the failure or about the client's shutdown, without the underlying error.
    public var description: String {
        switch self {
        case .connection(let error, _) where Self.failure(of: error)?.isClientShutDown == true: Self.clientIsShutDown
        case .timeout: "the upstream took too long"
        case .connection: "the connection to the upstream failed"
        case .body: "the upstream's response broke off"
        }
    }

    /// The description of an error that occurred because this service's own client was shut down.
    package static let clientIsShutDown = "the client was shut down"

    /// Returns the upstream error for a client's error; in a cancelled task, the client's error itself, because the
    /// cancellation caused it.
    ///
    /// `source` is where `upstream` was called, and `make` returns the error for any failure except a timeout.
    package static func error(
        for error: any Error,
        at source: ErrorReport.Source,
        else make: (any Error, ErrorReport.Source) -> UpstreamError
    ) -> any Error {
        if error is UpstreamError || Task.isCancelled { return error }
        let isTimeout = failure(of: error)?.isUpstreamTimeout ?? false
        return isTimeout ? UpstreamError.timeout(error, source) : make(error, source)
    }

    /// Returns the error as a client's error; nil if it isn't a client's error.
    fileprivate static func failure(of error: any Error) -> (any UpstreamFailure)? {
        // Use the matcher: on Darwin, a boxed `URLError` is an `NSError`, which the cast doesn't recognize.
        error as? any UpstreamFailure ?? ErrorMatcher.type(URLError.self).match(error)
    }
}

extension UpstreamError: RetryClassified {
    /// The decision of the client's error, or `.retry` if the error doesn't make a decision.
    public var retryDecision: RetryDecision {
        switch self {
        case .timeout(let error, _), .connection(let error, _), .body(let error, _):
            (error as? any RetryClassified)?.retryDecision ?? .retry()
        }
    }
}

/// Calls another service, and converts a client's error to an ``UpstreamError``.
///
/// ```swift
/// let response = try await upstream { try await client.execute(request, timeout: .seconds(10)) }
/// ```
///
/// An error counts as a client's error if its type conforms to ``UpstreamFailure``. All other errors of the operation
/// are rethrown unchanged, and so is every error in a cancelled task.
///
/// - Parameters:
///   - isolation: The actor on which the operation runs; by default, the caller's actor.
///   - fileID: The file in the source of a failure's report.
///   - line: The line in the source of a failure's report.
///   - operation: Calls the service, with its own time limit.
/// - Returns: The operation's result.
/// - Throws: ``UpstreamError``, or the operation's error.
public func upstream<Value>(
    isolation: isolated (any Actor)? = #isolation,
    fileID: String = #fileID,
    line: UInt = #line,
    _ operation: () async throws -> Value
) async throws -> Value {
    do { return try await operation() } catch {
        guard UpstreamError.failure(of: error) != nil else { throw error }
        throw UpstreamError.error(for: error, at: .init(fileID: fileID, line: line), else: UpstreamError.connection)
    }
}
