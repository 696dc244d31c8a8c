import AsyncHTTPClient
import ErrorRoutingUpstream
import Foundation
import HTTPErrors
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOHTTPCompression
import NIOPosix
import NIOSSL

/// Maps errors from async-http-client, and from the libraries that it uses, so that they have the same kinds as errors
/// from `URLSession`.
///
/// Usually, the original error becomes an underlying error, so that rules can still match it. An unknown error is
/// returned unchanged.
enum ErrorMapping {
    /// Returns the mapped error of a request; call it in a task that isn't cancelled.
    static func error(for error: any Error) -> any Error {
        switch error {
        case is CancellationError: shutDown(error)
        case let error as HTTPClientError: client(error)
        case let error as NIOHTTP2Errors.StreamError: Self.error(for: error.baseError)
        case let error as any NIOHTTP2Error: http2(error)
        case let error as NIOConnectionError: connecting(error)
        case let error as ChannelError: channel(error)
        case let error as IOError: system(error)
        case is SocketAddressError: lost(.cannotFindHost, error)
        case let error as HTTPParserError: parser(error)
        case is NIOHTTPDecompression.DecompressionError: NetworkError(.invalidResponse, cause: error)
        case is NIOHTTPDecompression.ExtraDecompressionError: NetworkError(.invalidResponse, cause: error)
        case let error as NIOSSLError: tls(error)
        case is NIOSSLExtraError: lost(.serverCertificateUntrusted, error)
        // TLS failed after the connection had been established.
        case is BoringSSLError, is NIOSSLCloseTimedOutError: lost(.networkConnectionLost, error)
        default: error
        }
    }

    /// Returns the mapped error of a body.
    ///
    /// The error never counts as a refused request, because a server that has begun a body has processed the request,
    /// even if it later refuses the stream.
    static func error(ofBody error: any Error) -> any Error {
        let mapped = self.error(for: error)
        let isRefused = (mapped as? NetworkError)?.neverReachedServer == true
        return isRefused ? lost(.networkConnectionLost, error) : mapped
    }

    /// Returns whether an error means that the server took too long.
    static func isTimeout(_ error: any Error) -> Bool { (self.error(for: error) as? NetworkError)?.kind == .timeout }

    /// Returns a connection error for a code, with the client's error as an underlying error of the `URLError`.
    private static func lost(
        _ code: URLError.Code, _ cause: any Error, detail: String? = nil, isUnsent: Bool = false
    ) -> NetworkError {
        NetworkError(
            .connection, cause: URLError(code, userInfo: [NSUnderlyingErrorKey: cause]), detail: detail,
            neverReachedServer: isUnsent)
    }

    /// Returns the error for a client that was shut down before or during the request.
    ///
    /// In a task that isn't cancelled, this is the only reason for a cancellation.
    private static func shutDown(_ cause: any Error, isUnsent: Bool = false) -> NetworkError {
        lost(.cancelled, cause, detail: UpstreamError.clientIsShutDown, isUnsent: isUnsent)
    }

    private static func client(_ error: HTTPClientError) -> any Error {
        switch error {
        case .cancelled: return shutDown(error)
        case .alreadyShutdown: return shutDown(error, isUnsent: true)
        case .deadlineExceeded, .readTimeout, .writeTimeout, .connectTimeout, .tlsHandshakeTimeout,
            .socksHandshakeTimeout, .httpProxyHandshakeTimeout, .getConnectionFromPoolTimeout:
            return NetworkError(.timeout, cause: error)
        case .remoteConnectionClosed, .uncleanShutdown, .requestStreamCancelled:
            return lost(.networkConnectionLost, error)
        case .redirectLimitReached, .redirectCycleDetected, .invalidProxyResponse:
            return NetworkError(.invalidResponse, cause: error)
        case .invalidURL, .emptyHost, .emptyScheme, .missingSocketPath:
            return URLError(.badURL)
        case .bodyLengthMismatch, .identityCodingIncorrectlyPresent, .contentLengthMissing, .traceRequestWithBody:
            return NetworkError(.encoding, cause: error)
        default:
            break
        }
        // Compare names: these errors have associated values, so they can't equal a constant. Drop header values,
        // because they must not reach logs.
        return switch error.shortDescription {
        case HTTPClientError.unsupportedScheme("").shortDescription: URLError(.unsupportedURL)
        case HTTPClientError.invalidHeaderFieldNames([]).shortDescription: NetworkError(.encoding, cause: error)
        case HTTPClientError.invalidHeaderFieldValues([]).shortDescription:
            NetworkError(.encoding, cause: HTTPClientError.invalidHeaderFieldValues([]))
        case HTTPClientError.serverOfferedUnsupportedApplicationProtocol("").shortDescription:
            NetworkError(.invalidResponse, cause: error)
        default: error
        }
    }

    private static func http2(_ error: any NIOHTTP2Error) -> NetworkError {
        switch error {
        case let error as NIOHTTP2Errors.StreamClosed:
            // According to RFC 9113, section 8.7, a stream wasn't processed if it was refused or if its ID is above the
            // last ID in a GOAWAY.
            lost(.networkConnectionLost, error, isUnsent: error.errorCode == .refusedStream)
        case is NIOHTTP2Errors.CreatedStreamAfterGoaway, is NIOHTTP2Errors.NoStreamIDAvailable:
            lost(.networkConnectionLost, error, isUnsent: true)
        case is NIOHTTP2Errors.IOOnClosedConnection, is NIOHTTP2Errors.NoSuchStream:
            lost(.networkConnectionLost, error)
        default:
            NetworkError(.invalidResponse, cause: error)
        }
    }

    private static func connecting(_ error: NIOConnectionError) -> any Error {
        let failures = error.connectionErrors.map(\.error)
        if failures.isEmpty { return lost(.cannotFindHost, error) }
        if failures.contains(where: { if case ChannelError.connectTimeout = $0 { true } else { false } }) {
            return NetworkError(.timeout, cause: error)
        }
        return lost(.cannotConnectToHost, error)
    }

    private static func channel(_ error: ChannelError) -> any Error {
        switch error {
        case .connectTimeout: NetworkError(.timeout, cause: error)
        case .ioOnClosedChannel, .alreadyClosed, .eof, .inputClosed, .outputClosed: lost(.networkConnectionLost, error)
        default: error
        }
    }

    private static func system(_ error: IOError) -> any Error {
        switch error.errnoCode {
        case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL: lost(.cannotConnectToHost, error)
        case ECONNRESET, EPIPE, ECONNABORTED, ENOTCONN, ESHUTDOWN: lost(.networkConnectionLost, error)
        case ETIMEDOUT: NetworkError(.timeout, cause: error)
        default: error
        }
    }

    private static func parser(_ error: HTTPParserError) -> any Error {
        switch error {
        // The connection was closed before the declared length had been read.
        case .invalidEOFState, .closedConnection: lost(.networkConnectionLost, error)
        default: NetworkError(.invalidResponse, cause: error)
        }
    }

    private static func tls(_ error: NIOSSLError) -> any Error {
        switch error {
        case .handshakeFailed(let cause):
            // Search the description, because BoringSSL's reason is available only as a string.
            let isUntrusted = String(describing: cause).contains("CERTIFICATE_VERIFY_FAILED")
            return lost(isUntrusted ? .serverCertificateUntrusted : .secureConnectionFailed, error)
        case .noCertificateToValidate, .unableToValidateCertificate:
            return lost(.serverCertificateUntrusted, error)
        case .uncleanShutdown, .shutdownFailed, .readInInvalidTLSState, .writeDuringTLSShutdown:
            return lost(.networkConnectionLost, error)
        default:
            return lost(.secureConnectionFailed, error)
        }
    }
}
