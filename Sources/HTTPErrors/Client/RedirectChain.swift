import ErrorRouting
import Foundation

/// A request and its progress through redirects: a plain value.
///
/// The client follows redirects instead of the transport, so that all transports behave alike. HTTP stacks differ: some
/// repeat a POST without its body, and others send secret headers to another server.
struct RedirectChain {
    /// The request to send next or, after the last redirect, the last request that was sent.
    private(set) var request: TransportRequest
    /// Whether a server might have acted on the request, for example because it sent the location of the result.
    ///
    /// Once true, sending the request again could repeat its effect.
    private(set) var isProcessed = false

    private var count = 0

    init(_ request: TransportRequest) {
        self.request = request
    }

    /// Sends the request and follows its redirects, all within the request's time limit.
    ///
    /// The result is the first response that isn't a redirect to follow.
    mutating func send(by transport: any HTTPTransport) async throws -> TransportResponse {
        let (limit, start) = (request.timeout, ContinuousClock.now)
        while true {
            let response = try await transport.send(request)
            guard (100...599).contains(response.status) else {
                throw NetworkError(.invalidResponse, detail: "the status is not one of HTTP")
            }
            guard try follows(response) else { return response }
            request.timeout = limit.map { $0.bounded - start.duration(to: .now) }
            if let left = request.timeout, left <= .zero { throw URLError(.timedOut) }
        }
    }

    /// Records that a server has acted on the request.
    mutating func markAsProcessed() { isProcessed = true }

    /// Prepares the next request if a response is a redirect, and returns whether to follow the redirect by sending
    /// `request`.
    ///
    /// A redirect isn't followed if it doesn't contain a usable target, or if it leads from https to http. After too
    /// many redirects, the method throws an error.
    mutating func follows(_ response: TransportResponse) throws(NetworkError) -> Bool {
        guard Self.statuses.contains(response.status),
            let target = response.headers.firstValid("Location", splitBy: Self.split, request.url.redirected(to:))
        else { return false }
        count += 1
        guard count <= Self.limit else {
            throw NetworkError(.invalidResponse, cause: URLError(.httpTooManyRedirects))
        }
        if ![.get, .head].contains(request.method) {
            isProcessed = true
            if response.status == 303 || response.status < 303 && request.method == .post { becomeGET() }
        }
        if !request.url.hasSameOrigin(as: target) {
            request.headers = HTTPHeaders(
                request.headers.fields.filter { HTTPHeaders.isPublic($0.name) }.map { ($0.name, $0.value) })
        }
        request.url = target
        return true
    }

    /// Turns the request into a GET (RFC 9110, section 15.4).
    ///
    /// The target contains the result of the request. After 301 and 302, clients have always turned a POST into a GET.
    private mutating func becomeGET() {
        request.method = .get
        request.body = nil
        for (name, _) in request.headers.fields where name.lowercased().hasPrefix("content-") {
            request.headers[name] = nil
        }
    }

    private static let statuses: Set = [301, 302, 303, 307, 308]
    private static let limit = 20

    /// Splits the joined values of a field that occurred more than once.
    ///
    /// A URL can contain a comma, so a comma is treated as a separator only before a URL or a path.
    private static func split(_ locations: String) -> [String] {
        locations.split(separator: /, (?=https?:\/\/|\/)/, omittingEmptySubsequences: false).map(String.init)
    }
}

extension HTTPHeaders {
    /// Returns whether another server may receive a field with a given name, in any case.
    ///
    /// All other fields might be secrets.
    static func isPublic(_ name: String) -> Bool { publicNames.contains(name.lowercased()) }

    /// The idempotency key is public because another server needs it to recognize a repeated request.
    private static let publicNames: Set = [
        "accept", "accept-language", "content-encoding", "content-language", "content-type", "idempotency-key",
        "user-agent",
    ]
}

extension URL {
    /// Returns the absolute URL for a `Location`; nil if a client must not follow it from this URL.
    fileprivate func redirected(to location: String) -> URL? {
        guard !location.isEmpty, let target = URL(string: location, relativeTo: self),
            var components = URLComponents(url: target, resolvingAgainstBaseURL: true),
            let scheme = components.scheme?.lowercased(), components.host?.isEmpty == false,
            scheme == "https" || scheme == "http" && self.scheme?.lowercased() == "http",
            components.port.map((1...65_535).contains) ?? true
        else { return nil }
        // Remove the user and the password, because a server must not choose the client's credentials.
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
