import CodedErrors
import ErrorRouting

/// The reduced form in which changes and refusals are encoded; a cause is rebuilt only if its type is known.
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

    /// Creates a change, without its cause if the cause's type is unknown to this program; nil if the state is unknown.
    init?(_ form: CodedCircuitError) {
        guard let state = form.state.flatMap(State.init) else { return nil }
        self.init(name: form.name, state: state, cause: form.cause?.error())
    }
}

extension CircuitOpen: CodedByForm {
    var form: CodedCircuitError {
        CodedCircuitError(name: name, retryAfter: retryAfter, cause: CodedError(cause))
    }

    /// Creates a refusal; nil if the cause's type is unknown to this program.
    init?(_ form: CodedCircuitError) {
        guard let cause = form.cause?.error() else { return nil }
        self.init(name: form.name, retryAfter: form.retryAfter, cause: cause)
    }
}
