import ErrorRouting
import Foundation
import HTTPErrors
import HTTPTypes
import OpenAPIRuntime

/// Turns an operation's error into a response and a report.
///
/// An error with a status below 500 is reported only if a rule matches.
nonisolated struct Problems: ServerMiddleware {
    var problems = ErrorMap(default: ProblemDetails(title: "Internal error", status: 500))

    func intercept(
        _ request: HTTPRequest, body: HTTPBody?, metadata: ServerRequestMetadata, operationID: String,
        next: @Sendable (HTTPRequest, HTTPBody?, ServerRequestMetadata) async throws -> (HTTPResponse, HTTPBody?)
    ) async -> (HTTPResponse, HTTPBody?) {
        await withErrorScope(operationID) { scope in
            do {
                return try await next(request, body, metadata)
            } catch {
                let thrown = error as? ServerError
                let cause = thrown?.underlyingError ?? error
                let rule = problems.match(cause)?.value
                let status = thrown?.httpStatus ?? .internalServerError
                if rule != nil || status.code >= 500 {
                    // Don't call `post`, which would also post the cancellation of a cancelled request.
                    await scope.catching(fileID: "Shop/\(operationID)", line: 0) { throw cause }
                }
                var fields = thrown?.httpHeaderFields ?? [:]
                if rule == nil, let body = thrown?.httpBody {
                    return (HTTPResponse(status: status, headerFields: fields), body)
                }
                let own = ProblemDetails(title: status.reasonPhrase, status: status.code)
                let answer = TransportResponse(rule ?? (status == .internalServerError ? problems[cause] : own))
                fields[.contentType] = ProblemDetails.mediaType
                return (HTTPResponse(status: .init(code: answer.status), headerFields: fields), HTTPBody(answer.body))
            }
        }
    }
}
