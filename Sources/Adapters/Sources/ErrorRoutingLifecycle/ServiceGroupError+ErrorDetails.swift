public import ErrorRouting
public import ServiceLifecycle

extension ServiceGroupError: @retroactive ErrorDetailsProviding {
    /// The name of the error's code, such as `serviceFinishedUnexpectedly`; nil for a code without a name in this
    /// library.
    public var errorDetails: ErrorDetails {
        switch errorCode {
        case .alreadyRunning: ErrorDetails(kind: "alreadyRunning")
        case .alreadyFinished: ErrorDetails(kind: "alreadyFinished")
        case .serviceFinishedUnexpectedly: ErrorDetails(kind: "serviceFinishedUnexpectedly")
        default: ErrorDetails()
        }
    }
}
