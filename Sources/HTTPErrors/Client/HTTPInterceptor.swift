/// Sees each request before it is sent, and each answer before it is judged.
///
/// What it throws ends the request: a ``NetworkError`` as it is; of `prepare` another error as
/// ``NetworkError/unknown(_:)``, and of `inspect` as ``NetworkError/api(_:_:)``: there a service's own error is made of
/// an answer.
public protocol HTTPInterceptor: Sendable {
    /// Changes a request before it is sent; called for each attempt anew.
    ///
    /// - Parameter message: The request, with its token.
    func prepare(_ message: inout HTTPMessage) async throws

    /// Looks at an answer, or changes it; called for each that comes, whatever its status.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - message: The request, as it was sent.
    func inspect(_ answer: inout HTTPAnswer, to message: HTTPMessage) async throws
}

extension HTTPInterceptor {
    /// Changes nothing.
    public func prepare(_ message: inout HTTPMessage) async throws {}

    /// Changes nothing.
    public func inspect(_ answer: inout HTTPAnswer, to message: HTTPMessage) async throws {}
}
