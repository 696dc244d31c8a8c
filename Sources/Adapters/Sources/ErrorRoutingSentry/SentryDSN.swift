import Foundation

/// The URL of a Sentry project, which Sentry calls its DSN: `https://public-key@host/project`.
struct SentryDSN: Sendable {
    /// The URL to which envelopes are sent.
    let url: URL
    /// The project's public key.
    let key: String
    /// The secret that old servers require; nil for other servers.
    let secret: String?

    init(_ text: String) throws(InvalidSentrySetting) {
        func invalid(_ reason: String) -> InvalidSentrySetting { InvalidSentrySetting("dsn", reason) }
        if text.isEmpty { throw invalid("is empty") }
        guard let parts = URLComponents(string: text) else { throw invalid("is not a URL") }
        guard let scheme = parts.scheme?.lowercased(), ["https", "http"].contains(scheme) else {
            throw invalid("does not begin with https:// or http://")
        }
        // Check for both: depending on its version, Foundation's `host` of "https://key@/1" is empty or nil.
        guard let host = parts.host, !host.isEmpty else { throw invalid("has no host") }
        guard let key = parts.user, !key.isEmpty else { throw invalid("has no public key before the host") }
        guard Self.isToken(key), Self.isToken(parts.password ?? "") else {
            throw invalid("has a key that is not a word")
        }
        if let port = parts.port, !(1...65_535).contains(port) { throw invalid("has an invalid port") }
        if parts.query != nil || parts.fragment != nil { throw invalid("has a query or a fragment") }
        var path = parts.path.split(separator: "/", omittingEmptySubsequences: true)
        guard let project = path.popLast() else { throw invalid("has no project at its end") }
        guard project.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw invalid("ends with \"\(project.prefix(20))\", which is not a project's number")
        }

        var target = URLComponents()
        (target.scheme, target.host, target.port) = (scheme, host, parts.port)
        target.path = "/" + (path + ["api", project, "envelope"]).joined(separator: "/") + "/"
        guard let url = target.url else { throw invalid("is not a URL") }
        (self.url, self.key, secret) = (url, key, parts.password.flatMap { $0.isEmpty ? nil : $0 })
    }

    /// The value of `X-Sentry-Auth`.
    var authorization: String {
        var text = "Sentry sentry_version=7, sentry_client=\(SentryEvent.client), sentry_key=\(key)"
        if let secret { text += ", sentry_secret=\(secret)" }
        return text
    }

    /// Returns whether a string can be a header value between commas.
    private static func isToken(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") }
    }
}
