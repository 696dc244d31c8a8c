import AsyncHTTPClient
import ErrorRecovery
import ErrorRouting
import ErrorRoutingAsyncHTTPClient
import FaultServer
import Foundation
import HTTPErrors
import NIOSSL
import Testing

extension FaultLab {
    /// Tests broken HTTP/2 streams and connections.
    ///
    /// Uses only async-http-client, because on Linux URLSession can't be configured to trust the server's certificate.
    @Suite("H1, H4: a broken HTTP/2 stream is a lost connection, and an unprocessed request is sent again")
    struct HTTP2Tests {
        private struct Send: APIRequest {
            typealias Response = NoContent
            let method: HTTPErrors.HTTPMethod
            let path = "a"
            let timeout: Duration? = .seconds(60)
        }

        /// Sends a request at most three times, and returns the error, how often it was sent, and how often it arrived.
        private func send(
            _ method: HTTPErrors.HTTPMethod, _ answer: HTTP2Server.Answer
        ) async throws -> (error: NetworkError?, attempts: Int, count: Int) {
            try await HTTP2Server.withServer(answer) { server in
                var configuration = AsyncHTTPClientHTTPTransport.configuration()
                var tls = TLSConfiguration.makeClientConfiguration()
                tls.trustRoots = .certificates([
                    try NIOSSLCertificate(bytes: Array(FaultServer.certificate.utf8), format: .pem)
                ])
                configuration.tlsConfiguration = tls
                return try await HTTPClient.withHTTPClient(configuration: configuration) { http in
                    var policy = RetryPolicy.default
                    policy.backoff = .constant(.zero, jitter: .none)
                    // The client posts the error of each attempt that another attempt follows.
                    let bus = ErrorBus(handler: ErrorHandler())
                    let client = APIClient(
                        base: server.url, transport: .asyncHTTPClient(http), retry: policy, errors: bus)
                    do throws(NetworkError) {
                        _ = try await client.send(Send(method: method))
                        return (nil, bus.statistics.posted + 1, server.count)
                    } catch {
                        return (error, bus.statistics.posted + 1, server.count)
                    }
                }
            }
        }

        @Test(
            "A reset stream is a lost connection; a stream that is refused or above GOAWAY's last never arrived",
            .tags(.http1, .http4), arguments: [HTTPErrors.HTTPMethod.get, .post])
        func broken(_ method: HTTPErrors.HTTPMethod) async throws {
            let answers: [(HTTP2Server.Answer, isUnprocessed: Bool)] = [
                (.refuses, true), (.goesAway, true), (.resets, false), (.cancels, false), (.resetsBody, false),
                (.refusesBody, false), (.goesAwayLater, false), (.closes, false),
            ]
            for (answer, isUnprocessed) in answers {
                let (error, attempts, count) = try await send(method, answer)
                #expect(error?.kind == .connection, "\(answer): \(String(describing: error))")
                #expect(error?.neverReachedServer == isUnprocessed, "\(answer)")
                #expect(error.map { ErrorMatcher.transient.match($0) != nil } == (method == .get || isUnprocessed))
                #expect(attempts == (method == .get || isUnprocessed ? 3 : 1), "\(answer)")
                // A request on a connection that is about to close might not arrive.
                let isClosing = [.closes, .goesAwayLater].contains(answer)
                #expect(isClosing ? (1...attempts).contains(count) : count == attempts, "\(answer)")
            }
        }

        @Test("A connection error ends all requests on the connection immediately", .tags(.http1))
        func brokenConnection() async throws {
            for (method, attempts) in [(HTTPErrors.HTTPMethod.get, 3), (.post, 1)] {
                let (error, sent, count) = try await send(method, .sendsNoFrames)
                #expect(error?.kind == .connection, "\(String(describing: error))")
                // A request on a connection that is about to close might not arrive.
                #expect(error?.neverReachedServer == false && sent == attempts && (1...attempts).contains(count))
            }
        }

        @Test("An invalid status is an invalid response, and doesn't crash the process", .tags(.http1))
        func statuses() async throws {
            for status in [
                "-1", "-9223372036854775808", "0", "99", "101", "600", "1000", "100000", "99999999999999999999", "",
                "x",
            ] {
                let (error, attempts, count) = try await send(.get, .status(status))
                #expect(error?.kind == .invalidResponse, "\(status): \(String(describing: error))")
                #expect(attempts == 1 && count == 1)
            }
            #expect(try await send(.get, .status("200")).error == nil)
            #expect(try await send(.get, .status("404")).error?.kind == .notFound)
        }
    }
}
