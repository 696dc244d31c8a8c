public import AsyncHTTPClient
public import ErrorRouting
public import NIOCore
public import NIOPosix
public import NIOSSL

// Kinds for errors of async-http-client and SwiftNIO that are structs and therefore don't have cases.

extension HTTPClientError: @retroactive ErrorDetailsProviding {
    /// The name of the error's code, such as `remoteConnectionClosed`.
    public var errorDetails: ErrorDetails {
        // Parse the description, because the code isn't public: `HTTPClientError.name` or
        // `HTTPClientError.name(values)`.
        ErrorDetails(kind: caseName(in: description.drop { $0 != "." }.dropFirst()))
    }
}

extension IOError: @retroactive ErrorDetailsProviding {
    /// The system's error number, such as `errno-104`.
    public var errorDetails: ErrorDetails { ErrorDetails(kind: "errno-\(errnoCode)") }
}

extension NIOConnectionError: @retroactive ErrorDetailsProviding {
    /// `lookup` if the host name couldn't be found, `timeout` if the time ran out, or `connect` if no address accepted
    /// the connection.
    public var errorDetails: ErrorDetails {
        if ErrorMapping.isTimeout(self) { return ErrorDetails(kind: "timeout") }
        return ErrorDetails(kind: connectionErrors.isEmpty ? "lookup" : "connect")
    }
}

extension NIOSSLExtraError: @retroactive ErrorDetailsProviding {
    /// The name of the error's case, such as `failedToValidateHostname`.
    public var errorDetails: ErrorDetails {
        // Parse the description, because the case isn't public. The description is `NIOSSLExtraError.name` or
        // `NIOSSLExtraError.name: text`.
        ErrorDetails(kind: caseName(in: description.drop { $0 != "." }.dropFirst()))
    }
}

/// Returns the identifier at the beginning of a string; nil if there is none.
private func caseName(in text: some StringProtocol) -> String? {
    let name = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    return name.isEmpty ? nil : String(name)
}
