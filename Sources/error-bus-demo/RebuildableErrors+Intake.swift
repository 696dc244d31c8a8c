import ErrorRecording
import ErrorRecovery
import ErrorRouting
import Foundation
import HTTPErrors

extension RebuildableErrors {
    /// The errors of the order intake that a replay can rebuild.
    ///
    /// Its own errors are `Codable`. Of errors of other modules only what rules ask of them is recorded.
    static let orderIntake = RebuildableErrors()
        .adding(OrderError.self)
        .adding(SpecialFile.self)
        .adding(FileTooLarge.self)
        .adding(NetworkError.self, encoding: { PaymentFailure($0) }, decoding: { $0.error })
        .adding(CircuitOpen.self) {
            CircuitEvent(name: $0.name, state: nil, cause: PaymentFailure($0.cause))
        } decoding: { event in
            event.cause?.error.map { CircuitOpen(name: event.name, retryAfter: nil, cause: $0) }
        }
        .adding(CircuitChanged.self) {
            CircuitEvent(name: $0.name, state: $0.state.rawValue, cause: $0.cause.flatMap(PaymentFailure.init))
        } decoding: { event in
            event.state.flatMap(CircuitChanged.State.init(rawValue:)).map {
                CircuitChanged(name: event.name, state: $0, cause: event.cause?.error)
            }
        }
        .adding(DecodingError.self, encoding: { BrokenOrder($0) }, decoding: { $0.error })
}

/// What is recorded of an error of a payment.
private struct PaymentFailure: Codable {
    let kind: String
    let urlErrorCode: Int?
    let status: Int?

    init?(_ error: any Error) {
        guard let error = error as? NetworkError else { return nil }
        kind = error.kind.rawValue
        urlErrorCode = (error.cause as? URLError)?.errorCode
        status = error.failure?.status
    }

    var error: NetworkError? {
        let cause = urlErrorCode.flatMap(URLError.Code.init(rawValue:)).map { URLError($0) }
        return NetworkError.Kind(rawValue: kind).map {
            NetworkError($0, cause: cause, failure: status.map { HTTPFailure(status: $0) })
        }
    }
}

/// What is recorded of a circuit that refused a payment, or has changed.
private struct CircuitEvent: Codable {
    let name: String
    let state: String?
    let cause: PaymentFailure?
}

/// What is recorded of an order that cannot be decoded: rules ask only for the type.
private struct BrokenOrder: Codable {
    let key: String?
    let hasUnderlyingError: Bool
    let kind: Kind

    enum Kind: String, Codable { case typeMismatch, valueNotFound, keyNotFound, dataCorrupted }

    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init?(_ error: DecodingError) {
        switch error {
        case .typeMismatch(_, let context): self.init(.typeMismatch, context)
        case .valueNotFound(_, let context): self.init(.valueNotFound, context)
        case .keyNotFound(let key, let context): self.init(.keyNotFound, context, key: key.stringValue)
        case .dataCorrupted(let context): self.init(.dataCorrupted, context)
        @unknown default: return nil
        }
    }

    private init(_ kind: Kind, _ context: DecodingError.Context, key: String? = nil) {
        self.kind = kind
        self.key = key
        hasUnderlyingError = context.underlyingError != nil
    }

    var error: DecodingError {
        let underlying = hasUnderlyingError ? NSError(domain: NSCocoaErrorDomain, code: 3_840) : nil
        let context = DecodingError.Context(codingPath: [], debugDescription: "replayed", underlyingError: underlying)
        return switch kind {
        case .typeMismatch: .typeMismatch(Any.self, context)
        case .valueNotFound: .valueNotFound(Any.self, context)
        case .keyNotFound: .keyNotFound(Key(stringValue: key ?? ""), context)
        case .dataCorrupted: .dataCorrupted(context)
        }
    }
}
