import ErrorRouting

// For replays of recorded errors; a cause is rebuilt if the recorder knows its type.

extension CircuitChanged: Codable {
    private enum CodingKeys: CodingKey { case name, state, cause }

    /// Reads a change; a cause of a type that the reader does not know is left out.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: What the decoder throws.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        guard let state = State(rawValue: try fields.decode(String.self, forKey: .state)) else {
            throw DecodingError.dataCorruptedError(forKey: .state, in: fields, debugDescription: "an unknown state")
        }
        let cause = try fields.decodeIfPresent(CodedError.self, forKey: .cause)
        self.init(
            name: try fields.decode(String.self, forKey: .name), state: state, cause: cause?.error(from: decoder))
    }

    /// Writes the change.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(name, forKey: .name)
        try fields.encode(state.rawValue, forKey: .state)
        try fields.encodeIfPresent(cause.map { CodedError($0, for: encoder) }, forKey: .cause)
    }
}

extension CircuitOpen: Codable {
    private enum CodingKeys: CodingKey { case name, retryAfter, cause }

    /// Reads a refusal.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: What the decoder throws; a `DecodingError` if the reader does not know the cause's type.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        guard let cause = try fields.decode(CodedError.self, forKey: .cause).error(from: decoder) else {
            throw DecodingError.dataCorruptedError(forKey: .cause, in: fields, debugDescription: "an unknown type")
        }
        self.init(
            name: try fields.decode(String.self, forKey: .name),
            retryAfter: try fields.decodeIfPresent(Duration.self, forKey: .retryAfter), cause: cause)
    }

    /// Writes the refusal.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(name, forKey: .name)
        try fields.encodeIfPresent(retryAfter, forKey: .retryAfter)
        try fields.encode(CodedError(cause, for: encoder), forKey: .cause)
    }
}
