import ErrorRouting

// These forms are for replays of recorded errors. A cause is rebuilt if its type was added to the recorder.

/// The coded form of changes and refusals.
private struct CodedCircuitError: Codable {
    let name: String
    var state: String?
    var retryAfter: Duration?
    let cause: CodedError?
}

extension CircuitChanged: Codable {
    /// Reads a change; a cause is left out if the reader doesn't have its type.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The decoder's errors.
    public init(from decoder: any Decoder) throws {
        let form = try CodedCircuitError(from: decoder)
        guard let state = form.state.flatMap(State.init) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "the state is not known"))
        }
        self.init(name: form.name, state: state, cause: form.cause?.error())
    }

    /// Writes the change.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The encoder's errors.
    public func encode(to encoder: any Encoder) throws {
        let cause = cause.map { CodedError($0) }
        try CodedCircuitError(name: name, state: state.rawValue, cause: cause).encode(to: encoder)
    }
}

extension CircuitOpen: Codable {
    /// Reads a refusal.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The decoder's errors; a `DecodingError` if the reader doesn't have the cause's type.
    public init(from decoder: any Decoder) throws {
        let form = try CodedCircuitError(from: decoder)
        guard let cause = form.cause?.error() else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "the cause's type is not known"))
        }
        self.init(name: form.name, retryAfter: form.retryAfter, cause: cause)
    }

    /// Writes the refusal.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The encoder's errors.
    public func encode(to encoder: any Encoder) throws {
        let cause = CodedError(cause)
        try CodedCircuitError(name: name, retryAfter: retryAfter, cause: cause).encode(to: encoder)
    }
}
