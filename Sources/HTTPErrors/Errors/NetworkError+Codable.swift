import ErrorRouting
import Foundation

extension NetworkError: Codable {
    private struct Form: Codable {
        let kind: String
        let cause: CodedError?
        let hadNoTimeLeft: Bool?
        let failure: HTTPFailure?
        let mayBeSentAgain: Bool
        let neverReachedServer: Bool
    }

    /// Reads an error.
    ///
    /// A cause is left out if the reader doesn't have its type.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The decoder's errors.
    public init(from decoder: any Decoder) throws {
        let form = try Form(from: decoder)
        guard let kind = Kind(rawValue: form.kind) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "the kind is not known"))
        }
        self.init(
            kind, cause: form.hadNoTimeLeft == true ? NoTimeLeft() : form.cause?.error(),
            failure: form.failure, mayBeSentAgain: form.mayBeSentAgain, neverReachedServer: form.neverReachedServer)
    }

    /// Writes the parts that rules check: the kind, the cause, the status, and whether the request may be sent again.
    ///
    /// It writes no detail, header field, body, or URL. The written form is for replays of recorded errors: a cause is
    /// rebuilt if its type was added to the recorder.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The encoder's errors.
    public func encode(to encoder: any Encoder) throws {
        // Write a flag: the type is internal, so no user can add it to a recorder.
        let hadNoTimeLeft = cause is NoTimeLeft
        let form = Form(
            kind: kind.rawValue, cause: hadNoTimeLeft ? nil : cause.map { CodedError($0) },
            hadNoTimeLeft: hadNoTimeLeft ? true : nil, failure: failure, mayBeSentAgain: mayBeSentAgain,
            neverReachedServer: neverReachedServer)
        try form.encode(to: encoder)
    }
}

extension HTTPFailure: Codable {
    private struct Form: Codable {
        let status: Int
        let problemType: String?
        let problemStatus: Int?
    }

    /// Reads a failure, which has no header fields and no body.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The decoder's errors.
    public init(from decoder: any Decoder) throws {
        let form = try Form(from: decoder)
        let problem = form.problemType.map { ProblemDetails(type: $0, status: form.problemStatus) }
        self.init(status: form.status, problem: problem)
    }

    /// Writes the status, and a problem's type and status.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The encoder's errors.
    public func encode(to encoder: any Encoder) throws {
        try Form(status: status, problemType: problem?.type, problemStatus: problem?.status).encode(to: encoder)
    }
}
