import ErrorRouting
import HTTPErrors
import Hummingbird
import NIOHTTP1

extension Response {
    /// Creates a response that sends a problem.
    init(_ problem: ProblemDetails) {
        let response = TransportResponse(problem)
        let body = ResponseBody(byteBuffer: ByteBuffer(bytes: response.body))
        self.init(status: .init(code: response.status), headers: [.contentType: ProblemDetails.mediaType], body: body)
    }

    /// Creates a response that replaces an error's own response with a problem that has the same status and fields.
    ///
    /// The message of an `HTTPError` becomes the detail, because its route wrote it for the client.
    init(_ error: any Error, answering own: Response) {
        // Look up the phrase, because a status that was created from its code doesn't have one.
        let phrases = [own.status.reasonPhrase, HTTPResponseStatus(statusCode: own.status.code).reasonPhrase]
        let problem = ProblemDetails(
            title: phrases.first { !$0.isEmpty }, status: own.status.code, detail: (error as? HTTPError)?.body)
        self.init(problem)
        status = own.status
        headers.replace(with: own.headers)
    }

    /// Returns the response without its body if HTTP doesn't allow one, because the client would read the body as the
    /// next response.
    ///
    /// A response to HEAD keeps the length that the body would have for GET. Hummingbird doesn't do this for errors.
    func sendable(to method: HTTPRequest.Method) -> Response {
        switch status {
        case .noContent, .notModified:
            var response = Response(status: status, headers: headers)
            response.headers[.contentLength] = nil
            return response
        case .resetContent:
            var response = self
            response.body = ResponseBody()
            return response
        default:
            return method == .head ? createHeadResponse() : self
        }
    }
}

extension HTTPFields {
    /// Replaces the fields whose names occur in `others`, except for fields that describe the body.
    mutating func replace(with others: HTTPFields) {
        let others = others.filter { !$0.describesBody }
        for field in others { self[field.name] = nil }
        append(contentsOf: others)
    }

    /// Adds the fields that other middlewares add to a response.
    ///
    /// If there are several `CORSMiddleware`, the last middleware determines the origin, because browsers reject two
    /// origins.
    mutating func add(_ added: HTTPFields) {
        for field in added {
            if field.name != .vary {
                self[field.name] = field.value
            } else if !self[values: .vary].contains(field.value) {
                append(field)
            }
        }
    }
}

extension HTTPFields.Element {
    /// Whether the field describes the body of its response, or how the body is sent.
    fileprivate var describesBody: Bool {
        let name = name.canonicalName
        // Keep this field: in the response to an error, it contains the range that the client could have requested.
        if name == "content-range" { return false }
        if name.hasPrefix("content-") { return !name.hasPrefix("content-security-policy") }
        return Self.othersOfBody.contains(name)
    }

    private static let othersOfBody: Set = [
        "accept-ranges", "digest", "etag", "last-modified", "repr-digest", "trailer", "transfer-encoding",
    ]
}

/// Unwraps the errors that other middlewares wrap only to add fields to the response.
enum EditedError {
    /// Returns the error inside one or more wrappers, and the wrappers' fields in the order in which they were added.
    ///
    /// Hummingbird's wrapper is internal, so it is recognized by its name, and its contents are read by reflection.
    /// This isn't an extension of `Error`, because that would wrap the error in another existential box and lose its
    /// throw location.
    static func unwrapped(_ thrown: any Error) -> (error: any Error, added: HTTPFields) {
        var (error, added): (any Error, HTTPFields) = (thrown, [:])
        while String(reflecting: type(of: error)) == "Hummingbird.EditedHTTPError" {
            guard let wrapped = underlyingErrors(of: error).first else { break }
            for case let fields as HTTPFields in Mirror(reflecting: error).children.map(\.value) {
                added = HTTPFields(fields + added)
            }
            error = wrapped
        }
        return (error, added)
    }
}
