import ErrorRouting
import Foundation
import HTTPErrors
import Testing

/// What becomes of a request: an answer that says yes, or an error.
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

/// An outcome with what it is made of.
struct Observation: Sendable {
    let answer: HTTPAnswer?
    let error: NetworkError?
    // The error that the transport itself threw.
    let cause: (any Error)?

    var outcome: Outcome {
        if let error { return .failure(error.kind) }
        return .success(answer?.status ?? 0)
    }

    /// The errors of which the outcome is made, the outermost first, on one line.
    var causeText: String {
        guard let error else { return "status \(answer?.status ?? 0)" }
        let trail = ErrorReport(error: error, source: ErrorReport.Source()).trail
        return ([error.description] + trail.map(\.description)).joined(separator: " ← ")
    }

    /// Sends a request, and makes of the answer or the error what a client makes of it.
    init(sending message: HTTPMessage, by transport: any HTTPTransport) async {
        do {
            let answer = try await transport.send(message)
            self.answer = answer
            cause = nil
            let isSuccess = (200...299).contains(answer.status)
            let failure = HTTPFailure(status: answer.status, headers: answer.headers, body: answer.body)
            error = isSuccess ? nil : NetworkError(failure)
        } catch {
            answer = nil
            cause = error
            self.error = Self.networkError(for: error)
        }
    }

    private static func networkError(for error: any Error) -> NetworkError {
        if let error = ErrorMatcher.type(NetworkError.self).match(error) { return error }
        if ErrorMatcher.cancellation.match(error) != nil { return .cancelled }
        if let error = ErrorMatcher.type(URLError.self).match(error) { return NetworkError(error) }
        return .unknown(error)
    }
}
