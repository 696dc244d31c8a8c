public import AsyncHTTPClient
public import ErrorRouting
public import NIOCore
public import NIOPosix
public import NIOSSL

// The kinds of the errors of async-http-client and SwiftNIO that are structs, which have no cases to tell them apart.

extension HTTPClientError: @retroactive ErrorDetailsProviding {
    /// The name of the error's code, such as `remoteConnectionClosed`.
    public var errorDetails: ErrorDetails {
        // The code itself isn't public; its description is `HTTPClientError.name` or `HTTPClientError.name(values)`.
        ErrorDetails(kind: caseName(in: description.drop { $0 != "." }.dropFirst()))
    }
}

extension IOError: @retroactive ErrorDetailsProviding {
    /// The system's number of the error, such as `errno-104`.
    public var errorDetails: ErrorDetails { ErrorDetails(kind: "errno-\(errnoCode)") }
}

extension NIOConnectionError: @retroactive ErrorDetailsProviding {
    /// Whether the name of the host could not be found, the time ran out, or no address accepted the connection.
    public var errorDetails: ErrorDetails {
        if ErrorMapping.isTimeout(self) { return ErrorDetails(kind: "timeout") }
        return ErrorDetails(kind: connectionErrors.isEmpty ? "lookup" : "connect")
    }
}

extension NIOSSLExtraError: @retroactive ErrorDetailsProviding {
    /// The name of the error's case, such as `failedToValidateHostname`.
    public var errorDetails: ErrorDetails {
        // The case itself isn't public; the description is `NIOSSLExtraError.name` or `NIOSSLExtraError.name: text`.
        ErrorDetails(kind: caseName(in: description.drop { $0 != "." }.dropFirst()))
    }
}

/// Returns the identifier at the beginning of a text; nil if there is none.
private func caseName(in text: some StringProtocol) -> String? {
    let name = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    return name.isEmpty ? nil : String(name)
}
