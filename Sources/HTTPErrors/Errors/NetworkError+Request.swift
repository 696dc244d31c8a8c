import ErrorRouting
import Foundation

/// The request of a failed call, as the metadata of error reports shows it.
///
/// It doesn't contain a query, header fields, or the user and path of the client's base, because these might be
/// secrets.
final class FailedRequest: Sendable {
    let method: String
    let host: String?
    let path: String

    private static let (longestMethod, longestPath) = (32, 256)

    /// Creates the description of a request below a client's base URL.
    init(_ request: some APIRequest, below base: URL) {
        let name = request.method.rawValue
        // `_OTHER` is OpenTelemetry's name for an unknown method.
        method = name.isToken && name.utf8.count <= Self.longestMethod ? name : "_OTHER"
        host = base.host()?.lowercased()
        // Truncate the path at a query, which some callers append by mistake: the client encodes it as a part of the
        // path.
        let path = request.path.unicodeScalars.prefix { $0 != "?" && $0 != "#" }.drop { $0 == "/" }
        let encoded = "/" + String(path).encodedAsPath
        self.path =
            encoded.utf8.count <= Self.longestPath
            ? encoded : "\(encoded.prefix(Self.longestPath - "…".utf8.count))…"
    }
}

extension FailedRequest {
    var metadata: [String: String] {
        var metadata = [RequestKey.method.rawValue: method, RequestKey.path.rawValue: path]
        metadata[RequestKey.host.rawValue] = host
        return metadata
    }
}

private enum RequestKey: String, CaseIterable {
    case method = "http.request.method"
    case host = "server.address"
    case path = "url.path"
    case status = "http.response.status_code"
}

extension NetworkError {
    /// Returns the error with a client's request, unless it already contains another client's request.
    func of(_ request: some APIRequest, below base: URL) -> NetworkError {
        if self.request != nil { return self }
        var error = self
        error.request = FailedRequest(request, below: base)
        return error
    }
}

extension NetworkError: ErrorMetadataProviding {
    package static let errorMetadataKeys = Set(RequestKey.allCases.map(\.rawValue))

    /// The client's request and the response's status, under OpenTelemetry's names.
    package var errorMetadata: [String: String] {
        var metadata = request?.metadata ?? [:]
        metadata[RequestKey.status.rawValue] = failure.map { "\($0.status)" }
        return metadata
    }
}
