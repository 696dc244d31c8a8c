import AsyncHTTPClient
import ErrorRecovery
import ErrorRoutingAsyncHTTPClient
import NIOCore
import Testing

@Suite("R0: an async-http-client error shows whether it is final")
struct RetryClassificationTests {
    @Test("a request that can't be sent isn't tried again, and a request that broke off is")
    func client() async throws {
        let client = HTTPClient.shared
        for (url, count) in [("ftp://localhost/", 1), ("http:///", 1), ("http://localhost:1/", 2)] {
            var attempts = 0
            _ = try? await retry(RetryPolicy(maxAttempts: 2, backoff: .constant(.zero))) { _ in
                attempts += 1
                _ = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(10))
            }
            #expect(attempts == count, "\(url)")
        }
        let final: [HTTPClientError] = [
            .invalidURL, .unsupportedScheme("ftp"), .invalidHeaderFieldNames(["a b"]), .alreadyShutdown,
            .bodyLengthMismatch,
        ]
        for error in final { #expect(error.retryDecision == .fail, "\(error)") }
        let temporary: [HTTPClientError] = [.remoteConnectionClosed, .readTimeout, .connectTimeout, .deadlineExceeded]
        for error in temporary { #expect(error.retryDecision == .retry(), "\(error)") }
    }
}
