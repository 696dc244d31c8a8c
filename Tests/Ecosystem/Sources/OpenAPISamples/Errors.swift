import ErrorRouting
import OpenAPIRuntime

extension ClientError: @retroactive UnderlyingErrorsProviding, @retroactive ErrorDetailsProviding,
    @retroactive CancellationConvertible
{
    /// The wrapped error.
    public var underlyingErrors: [any Error] { [underlyingError] }
    /// The operation and the cause.
    public var errorDetails: ErrorDetails { ErrorDetails(kind: operationID, message: causeDescription) }
    /// Whether the wrapped error is a cancellation.
    public var isCancellation: Bool { .cancellation ~= underlyingError }
}

extension ServerError: @retroactive UnderlyingErrorsProviding, @retroactive ErrorDetailsProviding {
    /// The wrapped error.
    public var underlyingErrors: [any Error] { [underlyingError] }
    /// The operation and the cause.
    public var errorDetails: ErrorDetails { ErrorDetails(kind: operationID, message: causeDescription) }
}
