import ErrorRouting
import HTTPErrors
import Hummingbird
import NIOHTTP1

extension Response {
    /// Creates the response that sends a problem.
    init(_ problem: ProblemDetails) {
        let response = TransportResponse(problem)
        let body = ResponseBody(byteBuffer: ByteBuffer(bytes: response.body))
        self.init(status: .init(code: response.status), headers: [.contentType: ProblemDetails.mediaType], body: body)
    }

    /// Creates the response that sends an error with its own response as a problem, with the same status and fields.
    ///
    /// The message of an `HTTPError` becomes the detail, because its route wrote it for the client.
    init(_ error: any Error, answering own: Response) {
        // A status that was created from its code has no phrase of its own.
        let phrases = [own.status.reasonPhrase, HTTPResponseStatus(statusCode: own.status.code).reasonPhrase]
        let problem = ProblemDetails(
            title: phrases.first { !$0.isEmpty }, status: own.status.code, detail: (error as? HTTPError)?.body)
        self.init(problem)
        status = own.status
        headers.replace(with: own.headers)
    }

    /// Returns the response without its body if HTTP allows none: the client would take the body for the next response.
    ///
    /// A response to HEAD keeps the length that the body has for GET. Hummingbird doesn't do this for an error.
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
    /// Replaces the fields that have the names of other ones, but for those that describe the body.
    mutating func replace(with others: HTTPFields) {
        let others = others.filter { !$0.describesBody }
        for field in others { self[field.name] = nil }
        append(contentsOf: others)
    }

    /// Adds what other middlewares add to a response: the last of several `CORSMiddleware` decides on the origin,
    /// because a browser refuses two.
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
        // In the response to an error, a range is the one that the client could have asked for.
        if name == "content-range" { return false }
        if name.hasPrefix("content-") { return !name.hasPrefix("content-security-policy") }
        return Self.othersOfBody.contains(name)
    }

    private static let othersOfBody: Set = [
        "accept-ranges", "digest", "etag", "last-modified", "repr-digest", "trailer", "transfer-encoding",
    ]
}

/// The errors that other middlewares wrap only to add fields to the response.
enum EditedError {
    /// Returns the error that is wrapped, once or several times, and these fields in the order in which they were
    /// added.
    ///
    /// Hummingbird's wrapper is internal, so it is recognized by its name, and its contents are found by reflection.
    /// This isn't an extension of `Error`, which would put the error into another box, without the place of its throw.
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
