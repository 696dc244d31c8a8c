/// A request's method, such as `.get`.
///
/// Methods are case-sensitive (RFC 9110, section 9.1), and all registered methods are uppercase. So a method that is
/// written `put` becomes `PUT`.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The method as it is sent, in uppercase.
    public let rawValue: String

    /// Creates a method, including a method that doesn't have a constant here.
    ///
    /// - Parameter rawValue: The method. Its ASCII letters are converted to uppercase. The client throws an error of
    ///   kind `encoding` for a request whose method isn't a token (RFC 9110, section 5.6.2).
    public init(rawValue: String) {
        // Leave non-ASCII characters unchanged, because uppercasing turns some of them into ASCII letters.
        self.rawValue = String(
            decoding: rawValue.utf8.map { (97...122).contains($0) ? $0 - 32 : $0 }, as: UTF8.self)
    }

    /// Requests a resource.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Requests a resource's header fields.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Submits data to a resource, which can have another effect each time.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Replaces a resource.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Changes a part of a resource.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// Deletes a resource.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// Requests the communication options of a resource.
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    /// Requests the request as the server received it.
    public static let trace = HTTPMethod(rawValue: "TRACE")

    /// The method as it is sent.
    public var description: String { rawValue }

    /// Whether sending a request again doesn't have another effect (RFC 9110, section 9.2.2).
    var isIdempotent: Bool { [.get, .head, .options, .trace, .put, .delete].contains(self) }
}
