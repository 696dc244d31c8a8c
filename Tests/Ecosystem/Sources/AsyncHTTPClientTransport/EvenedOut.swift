import AsyncHTTPClient
import Foundation
import HTTPErrors
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL

/// Maps the errors of async-http-client, and of the libraries that it uses, to those of `URLSession`.
///
/// The original error stays the cause, so that rules can still match it. An unknown error stays as it is.
enum EvenedOut {
    static func error(for error: any Error, bodyLimit: Int) -> any Error {
        switch error {
        case let error as HTTPClientError: client(error)
        case let error as NIOConnectionError: connecting(error)
        case let error as ChannelError: channel(error)
        case let error as IOError: system(error)
        case is SocketAddressError: lost(.cannotFindHost, error)
        case let error as HTTPParserError: parser(error)
        case NIOHTTPDecompression.DecompressionError.limit: tooLarge(bodyLimit)
        case is NIOHTTPDecompression.DecompressionError: NetworkError(.invalidResponse, cause: error)
        case is NIOHTTPDecompression.ExtraDecompressionError: NetworkError(.invalidResponse, cause: error)
        case let error as NIOSSLError: tls(error)
        case is NIOSSLExtraError: lost(.serverCertificateUntrusted, error)
        // Errors of TLS after the connection was made.
        case is BoringSSLError, is NIOSSLCloseTimedOutError: lost(.networkConnectionLost, error)
        default: error
        }
    }

    /// Returns the error of a connection that failed, with what async-http-client says of it under the code.
    private static func lost(_ code: URLError.Code, _ cause: any Error) -> NetworkError {
        NetworkError(.connection, cause: URLError(code, userInfo: [NSUnderlyingErrorKey: cause]))
    }

    static func tooLarge(_ limit: Int) -> NetworkError {
        NetworkError(.bodyTooLarge, detail: "more than \(limit) bytes")
    }

    private static func client(_ error: HTTPClientError) -> any Error {
        switch error {
        case .cancelled: return CancellationError()
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
        // These errors have associated values, and so equal no constant. Values of headers must not come into logs.
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
        // The connection ended before the declared length was read.
        case .invalidEOFState, .closedConnection: lost(.networkConnectionLost, error)
        default: NetworkError(.invalidResponse, cause: error)
        }
    }

    private static func tls(_ error: NIOSSLError) -> any Error {
        switch error {
        case .handshakeFailed(let cause):
            // BoringSSL's reason is available only as text.
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
