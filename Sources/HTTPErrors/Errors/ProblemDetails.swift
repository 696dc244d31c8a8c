import Foundation

/// A problem that a server describes as `application/problem+json` (RFC 9457).
///
/// A member is ignored if its value doesn't have the type that RFC 9457 defines, as the RFC requires. The description
/// contains only a valid status, because the rest of the body might be personal.
public struct ProblemDetails: Error, Codable, Hashable {
    /// The media type of problems: `application/problem+json`.
    public static let mediaType = "application/problem+json"

    /// The kind of problem, a URI reference; `about:blank` if the status is sufficient.
    public var type: String
    /// A short summary, which is the same for all problems of this type.
    public var title: String?
    /// The HTTP status, from 100 to 599.
    ///
    /// Any other number isn't a status, so setting it sets nil.
    public var status: Int? { didSet { status = Self.valid(status) } }
    /// What happened this time, for users.
    public var detail: String?
    /// The identifier of this occurrence, a URI reference.
    public var instance: String?
    /// The members that the problem's type defines.
    public var extensions: [String: JSONValue]

    /// Creates a problem.
    ///
    /// - Parameters:
    ///   - type: The kind of problem, a URI reference.
    ///   - title: A short summary.
    ///   - status: The HTTP status; a number outside 100 to 599 is ignored.
    ///   - detail: What happened this time.
    ///   - instance: The identifier of this occurrence, a URI reference.
    ///   - extensions: The members that the problem's type defines.
    public init(
        type: String = "about:blank",
        title: String? = nil,
        status: Int? = nil,
        detail: String? = nil,
        instance: String? = nil,
        extensions: [String: JSONValue] = [:]
    ) {
        self.type = type
        self.title = title
        self.status = Self.valid(status)
        self.detail = detail
        self.instance = instance
        self.extensions = extensions
    }

    /// Returns nil for an invalid status: any server can send one, and creating a response with it would trap.
    private static func valid(_ status: Int?) -> Int? { status.flatMap { (100...599).contains($0) ? $0 : nil } }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private static let members: Set = ["type", "title", "status", "detail", "instance"]

    /// Creates a problem by decoding it.
    ///
    /// A member is ignored if its value doesn't have the type that the RFC defines.
    ///
    /// - Throws: A `DecodingError` if the value isn't an object.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func member<Value: Decodable>(_ name: String) -> Value? {
            try? container.decode(Value.self, forKey: Key(stringValue: name))
        }
        self.init(
            type: member("type") ?? "about:blank", title: member("title"), status: member("status"),
            detail: member("detail"), instance: member("instance"))
        for key in container.allKeys where !Self.members.contains(key.stringValue) {
            extensions[key.stringValue] = try? container.decode(JSONValue.self, forKey: key)
        }
    }

    /// Encodes the problem, with its extensions next to the RFC's members.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(type, forKey: Key(stringValue: "type"))
        try container.encodeIfPresent(title, forKey: Key(stringValue: "title"))
        try container.encodeIfPresent(status, forKey: Key(stringValue: "status"))
        try container.encodeIfPresent(detail, forKey: Key(stringValue: "detail"))
        try container.encodeIfPresent(instance, forKey: Key(stringValue: "instance"))
        for (name, value) in extensions where !Self.members.contains(name) {
            try container.encode(value, forKey: Key(stringValue: name))
        }
    }
}

extension ProblemDetails: SecretHolding {
    /// The word `problem`, with the status if there is one.
    public var description: String { status.map { "problem, status \($0)" } ?? "problem" }
}

extension TransportResponse {
    /// Creates a response that reports a problem as `application/problem+json` (RFC 9457).
    ///
    /// ```swift
    /// let response = TransportResponse(problems[error])    // an ErrorMap<ProblemDetails>
    /// ```
    ///
    /// - Parameter problem: The problem to report. If its status isn't from 400 to 599, the response's status is 500,
    ///   because the problem might come from another service. If the extensions can't be encoded as JSON, for example
    ///   because of a NaN, they are left out.
    public init(_ problem: ProblemDetails) {
        var problem = problem
        if let status = problem.status, !(400...599).contains(status) { problem.status = 500 }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var plain = problem
        plain.extensions = [:]
        // error-audit: harmless, because what can't be encoded is left out, as documented
        let body = (try? encoder.encode(problem)) ?? (try? encoder.encode(plain)) ?? Data("{}".utf8)
        self.init(status: problem.status ?? 500, headers: ["Content-Type": ProblemDetails.mediaType], body: body)
    }
}
