import Foundation

/// From an answer that is a success to what was asked for.
extension APIClient {
    func decode<R: APIRequest>(
        _ answer: HTTPAnswer,
        to message: HTTPMessage,
        as request: R
    ) throws(NetworkError) -> R.Response {
        let response = try decode(answer, to: message, R.Response.self)
        if let error = request.rejection(of: response) { throw .api(error, HTTPFailure(answer)) }
        return response
    }

    private func decode<Response: Decodable>(
        _ answer: HTTPAnswer,
        to message: HTTPMessage,
        _ type: Response.Type
    ) throws(NetworkError) -> Response {
        if let nothing = NoContent() as? Response { return nothing }
        // By the protocol these have none, whatever came.
        let isBodiless = message.method == "HEAD" || [204, 205].contains(answer.status)
        guard !isBodiless, !answer.body.isEmpty else { throw .noData }
        if let field = answer.headers["Content-Type"], let accepted = message.headers["Accept"] {
            let type = MediaType(field)
            guard type.isAccepted(by: accepted) else { throw .unexpectedContentType(type.text) }
        }
        do {
            return try decoder.decode(type, from: answer.body)
        } catch let error as DecodingError {
            throw NetworkError(decoding: error)
        } catch {
            throw .decoding(error)
        }
    }
}
