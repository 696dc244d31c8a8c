public import ErrorRouting
public import ServiceLifecycle

extension ServiceGroupError: @retroactive ErrorDetailsProviding {
    /// The name of the error's code, such as `serviceFinishedUnexpectedly`; nil for a code that this library doesn't
    /// know.
    public var errorDetails: ErrorDetails {
        switch errorCode {
        case .alreadyRunning: ErrorDetails(kind: "alreadyRunning")
        case .alreadyFinished: ErrorDetails(kind: "alreadyFinished")
        case .serviceFinishedUnexpectedly: ErrorDetails(kind: "serviceFinishedUnexpectedly")
        default: ErrorDetails()
        }
    }
}
