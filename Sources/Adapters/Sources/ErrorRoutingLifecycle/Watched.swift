import ErrorRouting
import ServiceLifecycle

/// A service that runs in a bus, stops within a limit, and posts its errors.
///
/// It posts them itself because its group throws only the first error, and only after the bus has ended.
struct Watched<Content: Service>: WrappingService, CustomStringConvertible {
    let service: Content
    let bus: ErrorBus
    let description: String
    let source: ErrorReport.Source
    let limit: Duration
    let clock: any Clock<Duration>
    /// Whether returning before the shutdown counts as a failure of the service.
    var mustNotReturn = false

    var wrapped: any Service { service }

    func run() async throws {
        try await bus.bound {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await runAndPost() }
                group.addTask {
                    try? await gracefulShutdown()
                    try? await sleep(for: limit, on: clock)
                }
                // Cancel the group: the service has ended, or the limit has expired and the service must end now.
                defer { group.cancelAll() }
                try await group.next()
                group.cancelAll()
                try await group.next()
            }
        }
    }

    private func runAndPost() async throws {
        do {
            try await service.run()
            if mustNotReturn, !Task.isCancelled, !Task.isShuttingDownGracefully {
                throw ServiceGroupError.serviceFinishedUnexpectedly(
                    file: source.fileID, line: Int(clamping: source.line), service: description)
            }
        } catch {
            if error.isCancellation, Task.isCancelled || Task.isShuttingDownGracefully { return }
            bus.scope(description).post(error, as: .failure, metadata: [:], source: source)
            throw error
        }
    }
}

extension Error {
    /// Whether a service was cancelled; gRPC's error contains the cancellation as its cause.
    fileprivate var isCancellation: Bool { ErrorMatcher.anywhere(.cancellation).match(self) != nil }
}
