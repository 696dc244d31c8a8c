import Foundation

/// Decodes the value of a successful response.
extension APIClient {
    /// Returns the default `Accept` field for a response type.
    static func accepted<Response: Decodable>(for type: Response.Type) -> String {
        RawBody(type) == nil ? "application/json" : "*/*"
    }

    func decode<R: APIRequest>(
        _ response: TransportResponse, to message: TransportRequest, as request: R
    ) throws(NetworkError) -> R.Response {
        let value = try decode(response, to: message, R.Response.self)
        guard let error = request.rejection(of: value) else { return value }
        throw NetworkError(.service, cause: error, failure: HTTPFailure(response))
    }

    private func decode<Response: Decodable>(
        _ response: TransportResponse, to message: TransportRequest, _ type: Response.Type
    ) throws(NetworkError) -> Response {
        // HTTP doesn't define a body for these responses.
        let isBodiless = message.method == .head || [204, 205].contains(response.status)
        let isEmpty = isBodiless || response.body.isEmpty && !response.isTruncated
        if isEmpty, let value = RawBody.empty(type) { return value }
        if let nothing = NoContent() as? Response { return nothing }
        if isEmpty { throw NetworkError(.noData) }
        if response.isTruncated {
            throw NetworkError(.bodyTooLarge, detail: "more than \(response.body.count) bytes")
        }
        let media = response.headers.contentType
        do {
            if let raw = RawBody(type),
                let value = try raw.value(of: response.body, charset: media?.charset) as? Response
            {
                return value
            }
            guard let media, let accepted = message.headers["Accept"], !media.isAccepted(by: accepted) else {
                return try decoder.decode(type, from: response.body.asJSON(charset: media?.charset))
            }
            throw NetworkError(.unexpectedContentType, detail: media.text)
        } catch let error as NetworkError {
            throw error
        } catch {
            throw NetworkError(.decoding, cause: error)
        }
    }
}
