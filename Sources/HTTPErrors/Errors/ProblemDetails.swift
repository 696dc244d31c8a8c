import Foundation

/// A problem that a server describes as `application/problem+json` (RFC 9457).
///
/// A member is ignored if its value has another type than RFC 9457 defines, as the RFC requires. The description
/// contains only a valid status, because the rest of the body might be personal.
public struct ProblemDetails: Error, Codable, Hashable {
    /// The media type of problems: `application/problem+json`.
    public static let mediaType = "application/problem+json"

    /// The kind of problem, a URI reference; `about:blank` if the status says everything.
    public var type: String
    /// A short summary, the same for all problems of this type.
    public var title: String?
    /// The status.
    ///
    /// Setting it to a number outside 100 to 599 sets it to nil, because that isn't a status.
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
    ///   - status: The status; a number outside 100 to 599 is ignored.
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

    /// Returns nil for an invalid status: creating a response with it would trap, and any server can send one.
    private static func valid(_ status: Int?) -> Int? { status.flatMap { (100...599).contains($0) ? $0 : nil } }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private static let members: Set = ["type", "title", "status", "detail", "instance"]

    /// Reads a problem.
    ///
    /// A member is ignored if its value has another type than the RFC defines.
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

    /// Writes the problem, with its extensions next to the members of the RFC.
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
    /// Creates the response with which a service reports a problem: `application/problem+json` (RFC 9457).
    ///
    /// ```swift
    /// let response = TransportResponse(problems[error])    // an ErrorMap<ProblemDetails>
    /// ```
    ///
    /// - Parameter problem: The problem. The response has the problem's status if it is from 400 to 599, otherwise 500,
    ///   because another service might have sent the problem. If the extensions can't be encoded as JSON, for example
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
