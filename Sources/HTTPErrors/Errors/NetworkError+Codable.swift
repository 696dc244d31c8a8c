import ErrorRouting
import Foundation

extension NetworkError: Codable {
    private enum CodingKeys: CodingKey {
        case kind, cause, hadNoTimeLeft, failure, mayBeSentAgain, neverReachedServer
    }

    /// Reads an error; a cause of a type that the reader does not know is left out.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: What the decoder throws.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        guard let kind = Kind(rawValue: try fields.decode(String.self, forKey: .kind)) else {
            throw DecodingError.dataCorruptedError(forKey: .kind, in: fields, debugDescription: "an unknown kind")
        }
        let cause = try fields.decodeIfPresent(CodedError.self, forKey: .cause)?.error(from: decoder)
        let hadNoTimeLeft = try fields.decodeIfPresent(Bool.self, forKey: .hadNoTimeLeft) ?? false
        self.init(
            kind,
            cause: hadNoTimeLeft ? NoTimeLeft() : cause,
            failure: try fields.decodeIfPresent(HTTPFailure.self, forKey: .failure),
            mayBeSentAgain: try fields.decode(Bool.self, forKey: .mayBeSentAgain),
            neverReachedServer: try fields.decode(Bool.self, forKey: .neverReachedServer))
    }

    /// Writes what rules ask for: the kind, the cause, the status, and whether the request may be sent again.
    ///
    /// Neither the detail nor a header field, body or URL is written. For replays of recorded errors: a cause is
    /// rebuilt if the recorder knows its type.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(kind.rawValue, forKey: .kind)
        // A type of this module's own: nobody could tell a recorder of it.
        if cause is NoTimeLeft {
            try fields.encode(true, forKey: .hadNoTimeLeft)
        } else {
            try fields.encodeIfPresent(cause.map { CodedError($0, for: encoder) }, forKey: .cause)
        }
        try fields.encodeIfPresent(failure, forKey: .failure)
        try fields.encode(mayBeSentAgain, forKey: .mayBeSentAgain)
        try fields.encode(neverReachedServer, forKey: .neverReachedServer)
    }
}

extension HTTPFailure: Codable {
    private enum CodingKeys: CodingKey { case status, problemType, problemStatus }

    /// Reads a failure, which has no header fields and no body.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: What the decoder throws.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let problemStatus = try fields.decodeIfPresent(Int.self, forKey: .problemStatus)
        let problem = try fields.decodeIfPresent(String.self, forKey: .problemType).map {
            ProblemDetails(type: $0, status: problemStatus)
        }
        self.init(status: try fields.decode(Int.self, forKey: .status), problem: problem)
    }

    /// Writes the status, and the type and status of a problem.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(status, forKey: .status)
        try fields.encodeIfPresent(problem?.type, forKey: .problemType)
        try fields.encodeIfPresent(problem?.status, forKey: .problemStatus)
    }
}
