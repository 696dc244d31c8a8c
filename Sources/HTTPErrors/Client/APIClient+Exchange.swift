import ErrorRecovery
import ErrorRouting
import Foundation

/// Sends a request and returns its response, regardless of the status.
extension APIClient {
    /// Returns the request as a transport sends it, without the token.
    func message<R: APIRequest>(for request: R) throws(NetworkError) -> TransportRequest {
        var message = TransportRequest(
            method: request.method, url: try url(of: request), headers: request.headers, timeout: request.timeout)
        message.basePath = base.basePath
        if let key = request.idempotencyKey { message.headers["Idempotency-Key"] = key }
        // Check before the first attempt, because the posted error of an attempt contains the method.
        try message.check()
        if message.headers["Accept"] == nil { message.headers["Accept"] = Self.accepted(for: R.Response.self) }
        guard let body = request.body else { return message }
        let bytes = body as? BodyBytes
        do { message.body = try bytes?.bytes ?? encoder.encode(body) } catch {
            throw NetworkError(.encoding, cause: error)
        }
        if message.headers["Content-Type"] == nil {
            message.headers["Content-Type"] = bytes?.contentType ?? "application/json"
            try message.check()
        }
        return message
    }

    private func url(of request: some APIRequest) throws(NetworkError) -> URL {
        if let fault = PathFault.find(in: request.path) { throw NetworkError(.invalidURL, detail: "the path \(fault)") }
        guard var components = URLComponents(url: base, resolvingAgainstBaseURL: true),
            let scheme = components.scheme?.lowercased(), ["http", "https"].contains(scheme),
            components.host?.isEmpty == false
        else { throw NetworkError(.invalidURL, detail: shownBase) }
        // Use the lowercase scheme: Foundation on Linux doesn't recognize any other.
        components.scheme = scheme
        if !request.path.isEmpty {
            let path = request.path.encodedAsPath
            let separator = path.hasPrefix("/") ? "" : "/"
            components.percentEncodedPath = base.basePath + separator + path
        }
        if !request.query.isEmpty {
            var own = URLComponents()
            own.queryItems = request.query
            // Encode plus signs: Foundation doesn't encode them, and servers decode them as spaces.
            let query = own.percentEncodedQuery?.replacing("+", with: "%2B")
            // Leave the base's own query unchanged.
            components.percentEncodedQuery = [components.percentEncodedQuery, query].compactMap(\.self)
                .joined(separator: "&")
        }
        guard let url = components.url else { throw NetworkError(.invalidURL, detail: shownBase) }
        return url
    }

    /// Sends a message, and sends it again with a new token if the server refuses the first token.
    ///
    /// The second message uses a token from a refresh that this call started or waited for. If the server refuses that
    /// token while another request is replacing it, a third message uses the next token. The result's `isTokenRefused`
    /// is true if the server refused the last token.
    func exchange(
        _ message: TransportRequest, of request: some APIRequest, _ chain: inout RedirectChain,
        _ source: ErrorReport.Source
    ) async throws(NetworkError) -> (TransportResponse, isTokenRefused: Bool) {
        guard request.usesToken, let keeper = token, message.headers["Authorization"] == nil else {
            return (try await sendOnce(message, nil, &chain), false)
        }
        let (limit, start) = (message.timeout ?? transport.timeout, ContinuousClock.now)
        func timeLeft() -> Duration? { limit.map { $0.bounded - start.duration(to: .now) } }
        var (message, token, sendCount) = (message, keeper.token, 1)
        while true {
            let response = try await sendOnce(message, token, &chain)
            // Return another server's refusal, because that server hasn't received the token.
            guard keeper.statuses.contains(response.status), chain.request.headers["Authorization"] == "Bearer \(token)"
            else {
                return (response, false)
            }
            if chain.isProcessed || keeper.isRefreshedHere { return (response, true) }
            let next: String?
            do {
                next = try await keeper.token(replacing: token, mayBegin: sendCount == 1, within: timeLeft()) {
                    [errors, message, base] error in
                    // Post the error here, once: all waiting callers might be cancelled.
                    var metadata = FailedRequest(request, below: base).metadata
                    metadata["http.request"] = message.description
                    errors.post(
                        withoutSecrets(error, below: message.basePath), as: .failure, metadata: metadata,
                        source: source)
                }
            } catch {
                if Task.isCancelled { throw NetworkError(.cancelled) }
                if let left = timeLeft(), left <= .zero { throw NetworkError(.timeout, cause: error) }
                let failure = HTTPFailure(response)
                throw NetworkError(NetworkError(failure).kind, cause: error, failure: failure)
            }
            guard let next, sendCount < 3 else { return (response, true) }
            token = next
            message.timeout = timeLeft()
            sendCount += 1
        }
    }

    private func sendOnce(
        _ message: TransportRequest, _ token: String?, _ chain: inout RedirectChain
    ) async throws(NetworkError) -> TransportResponse {
        if Task.isCancelled { throw NetworkError(.cancelled) }
        var message = message
        if let token { message.headers["Authorization"] = "Bearer \(token)" }
        var response: TransportResponse
        do {
            for interceptor in interceptors {
                let start = ContinuousClock.now
                try await interceptor.prepare(&message)
                message.timeout = message.timeout.map { $0.bounded - start.duration(to: .now) }
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
            // Mark the request as processed: the interceptor might throw an error from its own request, which claims
            // that nothing was sent.
            if status != 429 { chain.markAsProcessed() }
            throw error.asInspection(of: response)
        }
        return response
    }
}

extension Error {
    /// Returns the network error for an error that `inspect` threw: the error itself, `cancelled`, or `service`.
    fileprivate func asInspection(of response: TransportResponse) -> NetworkError {
        if let error = ErrorMatcher.type(NetworkError.self).match(self) { return error }
        if ErrorMatcher.cancellation.match(self) != nil { return NetworkError(.cancelled) }
        return NetworkError(.service, cause: self, failure: HTTPFailure(response))
    }
}
