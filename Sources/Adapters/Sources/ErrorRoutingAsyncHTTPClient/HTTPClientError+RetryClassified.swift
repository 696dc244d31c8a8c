public import AsyncHTTPClient
public import ErrorRecovery

extension HTTPClientError: @retroactive RetryClassified {
    /// `.fail` if the same request or client would fail again, such as `invalidURL`; otherwise `.retry`.
    public var retryDecision: RetryDecision { Self.final.contains(shortDescription) ? .fail : .retry() }

    /// The short descriptions of the final errors: some of them contain values, so that they can't be compared.
    private static let final: Set<String> = {
        let errors: [HTTPClientError] = [
            // The request.
            .invalidURL, .emptyHost, .emptyScheme, .missingSocketPath, .unsupportedScheme(""),
            .identityCodingIncorrectlyPresent, .contentLengthMissing,
            .traceRequestWithBody, .invalidHeaderFieldNames([]), .invalidHeaderFieldValues([]), .bodyLengthMismatch,
            .writeAfterRequestSent,
            // The client.
            .alreadyShutdown, .cancelled, .invalidRedirectConfiguration, .invalidHTTPVersionConfiguration,
            .invalidDNSOverridesConfiguration, .invalidLocalAddress, .invalidProxyConfiguration,
            // The server, which would answer likewise.
            .redirectLimitReached, .redirectCycleDetected, .proxyAuthenticationRequired,
            .serverOfferedUnsupportedApplicationProtocol(""),
        ]
        return Set(errors.map(\.shortDescription))
    }()
}
