/// A request's method, such as `.get`.
///
/// Methods are case-sensitive (RFC 9110, section 9.1), and those in use are in capitals: a method that is written
/// `put` becomes `PUT`.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The method as it is sent, in capitals.
    public let rawValue: String

    /// Creates a method, also one that has no constant here.
    ///
    /// - Parameter rawValue: The method, whose ASCII letters are converted to capitals. The client throws an error of
    ///   kind `encoding` for a request whose method isn't a token (RFC 9110, section 5.6.2).
    public init(rawValue: String) {
        // Leave other characters than ASCII as they are, because capitals of some of them are ASCII.
        self.rawValue = String(
            decoding: rawValue.utf8.map { (97...122).contains($0) ? $0 - 32 : $0 }, as: UTF8.self)
    }

    /// Requests a resource.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Requests a resource's header fields.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Submits something to a resource, which might be done again each time.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Replaces a resource.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Changes a part of a resource.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// Deletes a resource.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// Asks what a resource allows.
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    /// Asks for the request as the server received it.
    public static let trace = HTTPMethod(rawValue: "TRACE")

    /// The method as it is sent.
    public var description: String { rawValue }

    /// Whether a request can be sent again without another effect (RFC 9110, section 9.2.2).
    var isIdempotent: Bool { [.get, .head, .options, .trace, .put, .delete].contains(self) }
}
