import ErrorRouting
import Foundation
import HTTPErrors
import Testing

/// The outcome of a request: a successful response or an error.
enum Outcome: Sendable, Equatable, CustomTestStringConvertible {
    case success(Int)
    case failure(NetworkError.Kind)

    var testDescription: String {
        switch self {
        case .success(let status): "success \(status)"
        case .failure(let kind): "\(kind)"
        }
    }
}

/// An outcome with its response and errors.
struct Observation: Sendable {
    let response: TransportResponse?
    let error: NetworkError?
    // The error that the transport itself threw.
    let cause: (any Error)?

    var outcome: Outcome {
        if let error { return .failure(error.kind) }
        return .success(response?.status ?? 0)
    }

    /// The errors of the outcome on one line, the outermost first.
    var causeText: String {
        guard let error else { return "status \(response?.status ?? 0)" }
        let trail = ErrorReport(error: error, source: ErrorReport.Source()).trail
        return ([error.description] + trail.map(\.description)).joined(separator: " ← ")
    }

    /// Sends a request, and converts the response or the error as a client does.
    init(sending message: TransportRequest, by transport: any HTTPTransport) async {
        do {
            let response = try await transport.send(message)
            self.response = response
            cause = nil
            let isSuccess = (200...299).contains(response.status)
            let failure = HTTPFailure(status: response.status, headers: response.headers, body: response.body)
            let tooLarge = response.isTruncated ? NetworkError(.bodyTooLarge) : nil
            error = isSuccess ? tooLarge : NetworkError(failure)
        } catch {
            response = nil
            cause = error
            self.error = Self.networkError(for: error)
        }
    }

    private static func networkError(for error: any Error) -> NetworkError {
        if let error = ErrorMatcher.type(NetworkError.self).match(error) { return error }
        if ErrorMatcher.cancellation.match(error) != nil { return NetworkError(.cancelled) }
        if let error = ErrorMatcher.type(URLError.self).match(error) { return NetworkError(error) }
        return NetworkError(.unknown, cause: error)
    }
}
