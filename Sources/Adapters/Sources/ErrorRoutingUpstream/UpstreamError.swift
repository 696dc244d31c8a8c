public import ErrorRouting
import Foundation

/// Another service failed that the request or call needs.
///
/// Each case is a kind of its own: in the report's fingerprint, for a flood limit, and in the dimensions of counters.
/// The report's source is the file and line that called `upstream`, so that each call to a service is a kind too.
public enum UpstreamError: Error, UnderlyingErrors, CustomStringConvertible {
    /// The service took too long to answer or to continue.
    case timeout(any Error, ErrorReport.Source)
    /// The service did not answer: no connection could be made, it broke, or the answer was an error of the protocol.
    case connection(any Error, ErrorReport.Source)
    /// The response's body broke off.
    case body(any Error, ErrorReport.Source)

    /// What failed.
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

    /// Says what failed; the error itself is in the report's trail.
    public var description: String {
        switch self {
        case .timeout: "the upstream took too long"
        case .connection: "the connection to the upstream failed"
        case .body: "the upstream's response broke off"
        }
    }

    /// Returns the error for a client's, except in a cancelled task, where that error is the cancellation's doing.
    ///
    /// - Parameters:
    ///   - error: What a client threw.
    ///   - source: Where `upstream` was called.
    ///   - make: Returns the error of any failure but a timeout.
    package static func error(
        for error: any Error,
        at source: ErrorReport.Source,
        else make: (any Error, ErrorReport.Source) -> UpstreamError
    ) -> any Error {
        if error is UpstreamError || Task.isCancelled { return error }
        let isTimeout = failure(of: error)?.isUpstreamTimeout ?? false
        return isTimeout ? UpstreamError.timeout(error, source) : make(error, source)
    }

    /// Returns the error as one of a client's; nil if it isn't.
    fileprivate static func failure(of error: any Error) -> (any UpstreamFailure)? {
        // On Darwin a URLError in a box is an object of Foundation's class, which only the matcher recognizes.
        error as? any UpstreamFailure ?? ErrorMatcher.type(URLError.self).match(error)
    }
}

/// Calls another service: an error of a client becomes an ``UpstreamError``.
///
/// ```swift
/// let response = try await upstream { try await client.execute(request, timeout: .seconds(10)) }
/// ```
///
/// An error is a client's if its type conforms to ``UpstreamFailure``. Any other error that the operation throws is
/// thrown as it is, and so is every error in a cancelled task.
///
/// - Parameters:
///   - isolation: The caller's actor, on which the operation runs.
///   - fileID: The file that the report of a failure gives as its source.
///   - line: The line that the report of a failure gives as its source.
///   - operation: The operation, with a time limit of its own.
/// - Returns: What the operation returned.
/// - Throws: ``UpstreamError``, or what the operation threw.
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
