import ErrorRouting
import Foundation

/// Sending a request, up to a response of any status.
extension APIClient {
    /// Returns the request as a transport sends it, without the token.
    func message(for request: some APIRequest) throws(NetworkError) -> TransportRequest {
        var message = TransportRequest(
            method: request.method, url: try url(of: request), headers: request.headers, timeout: request.timeout)
        // Before an attempt is made, since what is posted of an attempt names the method.
        try message.check()
        if message.headers["Accept"] == nil { message.headers["Accept"] = "application/json" }
        guard let body = request.body else { return message }
        do { message.body = try encoder.encode(body) } catch { throw NetworkError(.encoding, cause: error) }
        if message.headers["Content-Type"] == nil { message.headers["Content-Type"] = "application/json" }
        return message
    }

    private func url(of request: some APIRequest) throws(NetworkError) -> URL {
        if let fault = PathFault.find(in: request.path) { throw NetworkError(.invalidURL, detail: "the path \(fault)") }
        let url = request.path.isEmpty ? base : base.appending(path: request.path)
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let scheme = components.scheme?.lowercased(), ["http", "https"].contains(scheme),
            components.host?.isEmpty == false
        else { throw NetworkError(.invalidURL, detail: url.withoutSecrets) }
        // Foundation on Linux knows schemes in lower case only.
        components.scheme = scheme
        if !request.query.isEmpty {
            components.queryItems = (components.queryItems ?? []) + request.query
            // Foundation does not encode plus signs, and servers decode them as spaces.
            components.percentEncodedQuery = components.percentEncodedQuery?.replacing("+", with: "%2B")
        }
        guard let url = components.url else { throw NetworkError(.invalidURL, detail: url.withoutSecrets) }
        return url
    }

    /// Sends a message, and sends it once more with a new token if the server refuses the token.
    ///
    /// - Parameter chain: The request on its way; at the end, how far it has come.
    func exchange(
        _ message: TransportRequest,
        _ chain: inout RedirectChain,
        _ source: ErrorReport.Source
    ) async throws(NetworkError) -> TransportResponse {
        guard let keeper = token, message.headers["Authorization"] == nil else {
            return try await sendOnce(message, nil, &chain)
        }
        let (token, start) = (keeper.token, ContinuousClock.now)
        func timeLeft() -> Duration? { message.timeout.map { $0 - start.duration(to: .now) } }
        let first = try await sendOnce(message, token, &chain)
        // Another server has not seen the token; and what a server has acted on is not sent again.
        guard first.status == 401, !chain.hasLeftOrigin, !chain.isProcessed, !keeper.isRefreshedHere else {
            return first
        }
        let fresh: String
        do {
            fresh = try await keeper.token(inPlaceOf: token, within: timeLeft()) { [errors] error in
                // Posted once, and not by each of those who wait, who may all be cancelled.
                errors.post(
                    withoutSecrets(error), as: .failure, metadata: ["http.request": message.description],
                    source: source)
            }
        } catch {
            if Task.isCancelled { throw NetworkError(.cancelled) }
            if let left = timeLeft(), left <= .zero { throw NetworkError(.timeout, cause: error) }
            throw NetworkError(.unauthorized, cause: error, failure: HTTPFailure(first))
        }
        var second = message
        second.timeout = timeLeft()
        return try await sendOnce(second, fresh, &chain)
    }

    private func sendOnce(
        _ message: TransportRequest,
        _ token: String?,
        _ chain: inout RedirectChain
    ) async throws(NetworkError) -> TransportResponse {
        if Task.isCancelled { throw NetworkError(.cancelled) }
        var message = message
        if let token { message.headers["Authorization"] = "Bearer \(token)" }
        var response: TransportResponse
        do {
            for interceptor in interceptors {
                let start = ContinuousClock.now
                try await interceptor.prepare(&message)
                message.timeout = message.timeout.map { $0 - start.duration(to: .now) }
            }
            try message.check()
            chain = RedirectChain(message)
            response = try await chain.send(by: transport)
        } catch {
            throw .from(error)
        }
        let status = response.status
        do {
            for interceptor in interceptors { try await interceptor.inspect(&response, to: chain.request) }
        } catch {
            // An error of the interceptor's own requests may say that nothing has been sent; this request has been.
            if status != 429 { chain.markAsProcessed() }
            throw error.asInspection(of: response)
        }
        return response
    }
}

extension Error {
    /// Returns the error that `inspect` threw as a network error: unchanged, as `cancelled`, or as the service's own.
    fileprivate func asInspection(of response: TransportResponse) -> NetworkError {
        if let error = ErrorMatcher.type(NetworkError.self).match(self) { return error }
        if ErrorMatcher.cancellation.match(self) != nil { return NetworkError(.cancelled) }
        return NetworkError(.service, cause: self, failure: HTTPFailure(response))
    }
}

/// Decoding a response that is a success.
extension APIClient {
    func decode<R: APIRequest>(
        _ response: TransportResponse,
        to message: TransportRequest,
        as request: R
    ) throws(NetworkError) -> R.Response {
        let value = try decode(response, to: message, R.Response.self)
        guard let error = request.rejection(of: value) else { return value }
        throw NetworkError(.service, cause: error, failure: HTTPFailure(response))
    }

    private func decode<Response: Decodable>(
        _ response: TransportResponse,
        to message: TransportRequest,
        _ type: Response.Type
    ) throws(NetworkError) -> Response {
        if let nothing = NoContent() as? Response { return nothing }
        // HTTP defines no body for these responses.
        let isBodiless = message.method == "HEAD" || [204, 205].contains(response.status)
        guard !isBodiless, !response.body.isEmpty else { throw NetworkError(.noData) }
        if let field = response.headers["Content-Type"], let accepted = message.headers["Accept"] {
            let type = MediaType(field)
            guard type.isAccepted(by: accepted) else { throw NetworkError(.unexpectedContentType, detail: type.text) }
        }
        do {
            return try decoder.decode(type, from: response.body)
        } catch {
            throw NetworkError(.decoding, cause: error)
        }
    }
}
