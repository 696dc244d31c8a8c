import ErrorRouting
import Foundation

/// Sending a request, up to an answer of any status.
extension APIClient {
    /// Returns the message for a request, without the token.
    func message(for request: some APIRequest) throws(NetworkError) -> HTTPMessage {
        var message = HTTPMessage(
            method: request.method, url: try url(of: request), headers: request.headers, timeout: request.timeout)
        if message.headers["Accept"] == nil { message.headers["Accept"] = "application/json" }
        guard let body = request.body else { return message }
        do {
            message.body = try encoder.encode(body)
        } catch let error as EncodingError {
            throw .encoding(error.withoutSecrets)
        } catch {
            throw .encoding(error)
        }
        if message.headers["Content-Type"] == nil { message.headers["Content-Type"] = "application/json" }
        return message
    }

    private func url(of request: some APIRequest) throws(NetworkError) -> URL {
        let url = request.path.isEmpty ? base : base.appending(path: request.path)
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true),
            ["http", "https"].contains(components.scheme?.lowercased()), components.host?.isEmpty == false
        else { throw .invalidURL(url.withoutSecrets) }
        if !request.query.isEmpty {
            components.queryItems = (components.queryItems ?? []) + request.query
            // Foundation does not encode plus signs, and servers decode them as spaces.
            components.percentEncodedQuery = components.percentEncodedQuery?.replacing("+", with: "%2B")
        }
        guard let url = components.url else { throw .invalidURL(url.withoutSecrets) }
        return url
    }

    /// Sends a message, and sends it once more with a new token if the server refuses the token.
    ///
    /// - Returns: The answer, and the message as it was sent.
    func exchange(
        _ message: HTTPMessage,
        _ source: ErrorReport.Source
    ) async throws(NetworkError) -> (HTTPAnswer, HTTPMessage) {
        guard let keeper = token, message.headers["Authorization"] == nil else { return try await sendOnce(message) }
        let token = keeper.token
        let first = try await sendOnce(message, token)
        guard first.0.status == 401, !keeper.isRefreshedHere else { return first }
        let fresh: String
        do {
            fresh = try await keeper.token(inPlaceOf: token)
        } catch {
            if Task.isCancelled { throw .cancelled }
            // The caller gets the 401, which it can handle. No caller gets this error, so it is posted.
            errors.post(error, metadata: ["http.request": message.description], source: source)
            return first
        }
        return try await sendOnce(message, fresh)
    }

    private func sendOnce(
        _ message: HTTPMessage,
        _ token: String? = nil
    ) async throws(NetworkError) -> (HTTPAnswer, HTTPMessage) {
        if Task.isCancelled { throw .cancelled }
        var message = message
        if let token { message.headers["Authorization"] = "Bearer \(token)" }
        var answer: HTTPAnswer
        do {
            for interceptor in interceptors { try await interceptor.prepare(&message) }
            answer = try await transport.send(message)
        } catch {
            throw .from(error)
        }
        do {
            for interceptor in interceptors { try await interceptor.inspect(&answer, to: message) }
        } catch {
            throw error.asInspection(of: answer)
        }
        return (answer, message)
    }
}

extension Error {
    /// Returns the error that `inspect` threw as a network error: unchanged, as `cancelled`, or as the service's own.
    fileprivate func asInspection(of answer: HTTPAnswer) -> NetworkError {
        if let error = ErrorMatcher.type(NetworkError.self).match(self) { return error }
        if ErrorMatcher.cancellation.match(self) != nil { return .cancelled }
        return .api(self, HTTPFailure(answer))
    }
}

/// Decoding an answer that is a success.
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
        // HTTP defines no body for these answers.
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
