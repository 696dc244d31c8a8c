import HTTPTypes
import Hummingbird
import Synchronization

/// The kinds of requests: the names of their scopes, and the sources of their errors.
///
/// Each kind adds a scope, a fingerprint, a flood-limit window, and a metric dimension value. So the number of kinds is
/// bounded, regardless of the paths and methods that clients send.
final class RequestKinds: Sendable {
    private let limit: Int
    private let kind: (@Sendable (Request) -> String)?
    /// The kinds that the closure has returned so far.
    private let known = Mutex<Set<String>>([])

    /// `limit` is how many kinds the closure can return, and `kind` returns the kind of a request without a route.
    init(limit: Int, _ kind: (@Sendable (Request) -> String)?) {
        self.limit = limit
        self.kind = kind
    }

    /// Returns the method and route; for a request without a route, the method and the closure's kind.
    func kind(of request: Request, route: String?) -> String {
        if let route { return "\(request.method.semanticName) \(route)" }
        guard let kind else { return "no route" }
        return "\(request.method.semanticName) \(admitted(Self.bounded(kind(request))))"
    }

    private func admitted(_ kind: String) -> String {
        known.withLock { known in
            if known.contains(kind) { return kind }
            guard known.count < limit else { return "other" }
            known.insert(kind)
            return kind
        }
    }

    /// Returns a string of at most 256 bytes.
    static func bounded(_ text: String) -> String {
        text.utf8.count <= 256 ? text : "\(String(decoding: text.utf8.prefix(253), as: UTF8.self))…"
    }
}

extension HTTPRequest.Method {
    /// The method as in OpenTelemetry's semantic conventions, so that clients can't add values to a metric dimension.
    var semanticName: String {
        switch self {
        case .connect, .delete, .get, .head, .options, .patch, .post, .put, .trace: rawValue
        default: "_OTHER"
        }
    }
}
