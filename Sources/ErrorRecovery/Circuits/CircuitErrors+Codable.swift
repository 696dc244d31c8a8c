import ErrorRouting

/// The form of changes and refusals; a cause is rebuilt if its type was added to the recorder.
struct CodedCircuitError: Codable {
    let name: String
    var state: String?
    var retryAfter: Duration?
    let cause: CodedError?
}

extension CircuitChanged: CodedByForm {
    var form: CodedCircuitError {
        CodedCircuitError(name: name, state: state.rawValue, cause: cause.map { CodedError($0) })
    }

    /// Creates a change without its cause if the reader doesn't have the cause's type; nil if the state is unknown.
    init?(_ form: CodedCircuitError) {
        guard let state = form.state.flatMap(State.init) else { return nil }
        self.init(name: form.name, state: state, cause: form.cause?.error())
    }
}

extension CircuitOpen: CodedByForm {
    var form: CodedCircuitError {
        CodedCircuitError(name: name, retryAfter: retryAfter, cause: CodedError(cause))
    }

    /// Creates a refusal; nil if the reader doesn't have the cause's type.
    init?(_ form: CodedCircuitError) {
        guard let cause = form.cause?.error() else { return nil }
        self.init(name: form.name, retryAfter: form.retryAfter, cause: cause)
    }
}
