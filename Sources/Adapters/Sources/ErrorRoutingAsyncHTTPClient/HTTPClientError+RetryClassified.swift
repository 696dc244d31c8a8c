public import AsyncHTTPClient
public import ErrorRecovery

extension HTTPClientError: @retroactive RetryClassified {
    /// `.fail` if the same request or client would fail again, such as `invalidURL`; otherwise `.retry`.
    public var retryDecision: RetryDecision { Self.final.contains(shortDescription) ? .fail : .retry() }

    /// The short descriptions of the final errors, which can't be compared directly because some contain values.
    private static let final: Set<String> = {
        let errors: [HTTPClientError] = [
            // Caused by the request.
            .invalidURL, .emptyHost, .emptyScheme, .missingSocketPath, .unsupportedScheme(""),
            .identityCodingIncorrectlyPresent, .contentLengthMissing,
            .traceRequestWithBody, .invalidHeaderFieldNames([]), .invalidHeaderFieldValues([]), .bodyLengthMismatch,
            .writeAfterRequestSent,
            // Caused by the client.
            .alreadyShutdown, .cancelled, .invalidRedirectConfiguration, .invalidHTTPVersionConfiguration,
            .invalidDNSOverridesConfiguration, .invalidLocalAddress, .invalidProxyConfiguration,
            // Caused by the server, which would respond in the same way again.
            .redirectLimitReached, .redirectCycleDetected, .proxyAuthenticationRequired,
            .serverOfferedUnsupportedApplicationProtocol(""),
        ]
        return Set(errors.map(\.shortDescription))
    }()
}
