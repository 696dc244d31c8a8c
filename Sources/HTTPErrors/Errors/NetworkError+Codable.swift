import CodedErrors
import ErrorRouting
import Foundation

extension NetworkError: CodedByForm {
    /// The parts that rules check: the kind, the cause, the status, and whether the request may be sent again.
    ///
    /// The form doesn't contain the detail, header fields, body, or URL. A cause is rebuilt only if its type is known.
    struct Form: Codable {
        let kind: String
        let cause: CodedError?
        let hadNoTimeLeft: Bool?
        let failure: HTTPFailure?
        let mayBeSentAgain: Bool
        let neverReachedServer: Bool
    }

    var form: Form {
        // Encode a flag instead of the cause: the type is internal, so no user can add it to a recorder.
        let hadNoTimeLeft = cause is NoTimeLeft
        return Form(
            kind: kind.rawValue, cause: hadNoTimeLeft ? nil : cause.map { CodedError($0) },
            hadNoTimeLeft: hadNoTimeLeft ? true : nil, failure: failure, mayBeSentAgain: mayBeSentAgain,
            neverReachedServer: neverReachedServer)
    }

    /// Creates an error, without its cause if the cause's type is unknown to this program; nil if the kind is unknown.
    init?(_ form: Form) {
        guard let kind = Kind(rawValue: form.kind) else { return nil }
        self.init(
            kind, cause: form.hadNoTimeLeft == true ? NoTimeLeft() : form.cause?.error(),
            failure: form.failure, mayBeSentAgain: form.mayBeSentAgain, neverReachedServer: form.neverReachedServer)
    }
}

extension HTTPFailure: CodedByForm {
    /// The status, and a problem's type and status, but neither header fields nor a body.
    struct Form: Codable {
        let status: Int
        let problemType: String?
        let problemStatus: Int?
    }

    var form: Form { Form(status: status, problemType: problem?.type, problemStatus: problem?.status) }

    init(_ form: Form) {
        let problem = form.problemType.map { ProblemDetails(type: $0, status: form.problemStatus) }
        self.init(status: form.status, problem: problem)
    }
}
