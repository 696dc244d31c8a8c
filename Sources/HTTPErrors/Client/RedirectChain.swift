import Foundation

/// A request on its way through redirects: a plain value.
///
/// The client follows redirects, and not the transport, so that all transports do the same. HTTP stacks differ in what
/// they send: one repeats a POST without its body, another sends secret headers to another server.
struct RedirectChain {
    /// The request to send next; at the end, the one that was sent last.
    private(set) var request: TransportRequest
    /// Whether a server may have acted on the request, for example has referred to another place for the result.
    ///
    /// Whatever happens then, sending the request again could repeat its effect.
    private(set) var isProcessed = false

    private var count = 0

    init(_ request: TransportRequest) {
        self.request = request
    }

    /// Sends the request, and then whatever the responses redirect to, all within the request's time limit.
    ///
    /// - Returns: The first response that is not followed.
    mutating func send(by transport: any HTTPTransport) async throws -> TransportResponse {
        let (limit, start) = (request.timeout, ContinuousClock.now)
        while true {
            let response = try await transport.send(request)
            guard (100...599).contains(response.status) else {
                throw NetworkError(.invalidResponse, detail: "the status is not one of HTTP")
            }
            guard try follows(response) else { return response }
            request.timeout = limit.map { $0 - start.duration(to: .now) }
            if let left = request.timeout, left <= .zero { throw URLError(.timedOut) }
        }
    }

    /// Marks the request as one that a server has acted on.
    mutating func markAsProcessed() { isProcessed = true }

    /// Takes the response to the request.
    ///
    /// A redirect without a usable target is not followed, nor one from https to http.
    ///
    /// - Returns: Whether it is a redirect, so that the request that it asks for is to be sent.
    /// - Throws: An error if there were too many redirects.
    mutating func follows(_ response: TransportResponse) throws(NetworkError) -> Bool {
        guard Self.statuses.contains(response.status),
            let target = response.headers.firstValid("Location", splitBy: Self.split, request.url.redirected(to:))
        else { return false }
        count += 1
        guard count <= Self.limit else {
            throw NetworkError(.invalidResponse, cause: URLError(.httpTooManyRedirects))
        }
        if !["GET", "HEAD"].contains(request.method) {
            isProcessed = true
            if response.status == 303 || response.status < 303 && request.method == "POST" { becomeGET() }
        }
        if !request.url.hasSameOrigin(as: target) {
            request.headers = HTTPHeaders(
                request.headers.fields.filter { HTTPHeaders.isPublic($0.name) }.map { ($0.name, $0.value) })
        }
        request.url = target
        return true
    }

    /// RFC 9110, section 15.4: the result is at another place; POST, which was to become GET, has always done so.
    private mutating func becomeGET() {
        request.method = "GET"
        request.body = nil
        for (name, _) in request.headers.fields where name.lowercased().hasPrefix("content-") {
            request.headers[name] = nil
        }
    }

    private static let statuses: Set = [301, 302, 303, 307, 308]
    private static let limit = 20

    /// A field that came twice may be one text; a comma alone can be part of a URL.
    private static func split(_ locations: String) -> [String] {
        locations.split(separator: /, (?=https?:\/\/|\/)/, omittingEmptySubsequences: false).map(String.init)
    }
}

extension HTTPHeaders {
    /// Whether another server may see a field; any other field may be a secret.
    ///
    /// - Parameter name: The field's name, in upper or lower case.
    static func isPublic(_ name: String) -> Bool { publicNames.contains(name.lowercased()) }

    /// With the idempotency key, another server recognises a request that is sent again.
    private static let publicNames: Set = [
        "accept", "accept-language", "content-encoding", "content-language", "content-type", "idempotency-key",
        "user-agent",
    ]
}

extension URL {
    /// Returns the absolute URL for a `Location`; nil if a client of this URL must not go there.
    fileprivate func redirected(to location: String) -> URL? {
        guard !location.isEmpty, let target = URL(string: location, relativeTo: self),
            var components = URLComponents(url: target, resolvingAgainstBaseURL: true),
            let scheme = components.scheme?.lowercased(), components.host?.isEmpty == false,
            scheme == "https" || scheme == "http" && self.scheme?.lowercased() == "http",
            components.port.map((1...65_535).contains) ?? true
        else { return nil }
        // A server must not choose the credentials.
        components.user = nil
        components.password = nil
        return components.url
    }

    fileprivate func hasSameOrigin(as other: URL) -> Bool {
        func origin(_ url: URL) -> (scheme: String?, host: String?, port: Int?) {
            let scheme = url.scheme?.lowercased()
            return (scheme, url.host()?.lowercased(), url.port ?? (scheme == "https" ? 443 : 80))
        }
        return origin(self) == origin(other)
    }
}
