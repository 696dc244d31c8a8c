import ErrorRouting
import ServiceLifecycle

let groupDetails: ErrorMap<ErrorDetails?> = ErrorMap()
    .on(ServiceGroupError.alreadyRunning(), ErrorDetails(kind: "alreadyRunning"))
    .on(ServiceGroupError.alreadyFinished(), ErrorDetails(kind: "alreadyFinished"))
    .on(ServiceGroupError.serviceFinishedUnexpectedly(), ErrorDetails(kind: "serviceFinishedUnexpectedly"))

func run(_ group: ServiceGroup, errors: any ErrorPosting = .ambient) async -> Bool {
    await errors.catching { try await group.run() }
}
