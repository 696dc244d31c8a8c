import ErrorRouting
import ServiceLifecycle

/// A group's services in the order that loses no error: exporters, the bus, the services that its tasks need, its
/// tasks, and the services that end before them.
struct ArrangedServices {
    typealias Part = ServiceGroupConfiguration.ServiceConfiguration

    private(set) var parts: [Part] = []
    /// The names of services that end before the bus's tasks although they aren't marked.
    private(set) var unmarked: [String] = []

    /// Arranges services.
    ///
    /// A bus or tasks that the services already contain stay where they are. Otherwise the marked services, or the last
    /// one if none is marked, are listed after the tasks.
    ///
    /// - Parameters:
    ///   - services: The services in their order.
    ///   - errors: The bus.
    ///   - exporters: The services that outlive the bus.
    ///   - source: Where the services are arranged.
    init(
        _ services: [Part], around errors: ErrorBusService, exporters: [any Service], at source: ErrorReport.Source
    ) {
        let limits = errors.limits
        func watched(_ part: Part, within limit: Duration) -> Part {
            Self.watched(part, by: errors, within: limit, source)
        }
        // No service waits for the exporters, so their own limits are in effect.
        let unlimited = Duration.seconds(Int64.max)
        let exporters = exporters.map {
            watched(Part(service: $0, successTerminationBehavior: .ignore), within: unlimited)
        }
        let bus = Part(service: errors)
        let tasks = Part(service: errors.tasks)

        // The services before a bus that is already listed are exporters, too.
        let busIndex = services.firstIndex { ($0.service as? ErrorBusService)?.bus === errors.bus }
        let before = services[..<(busIndex ?? 0)].map { watched($0, within: unlimited) }
        let rest = services[(busIndex.map { $0 + 1 } ?? 0)...]
        parts = exporters + before + [bus]

        let tasksIndex = rest.firstIndex { ($0.service as? ErrorBusService.Tasks)?.bus === errors.bus }
        let (longer, shorter): ([Part], [Part])
        if let tasksIndex {
            (longer, shorter) = (Array(rest[..<tasksIndex]), Array(rest[(tasksIndex + 1)...]))
        } else {
            let marked = rest.filter { endsBeforeTasks($0.service) }
            shorter = marked.isEmpty ? rest.suffix(1) : marked
            longer = marked.isEmpty ? rest.dropLast() : rest.filter { !endsBeforeTasks($0.service) }
        }
        unmarked = shorter.filter { !endsBeforeTasks($0.service) }.map { Self.name(of: $0) ?? typeName(of: $0.service) }
        parts += longer.map { watched($0, within: limits.services) } + [tasks]
        parts += shorter.map { watched($0, within: limits.application) }
    }

    /// Returns a service that posts its error, and whose end shuts the group down instead of cancelling it.
    ///
    /// A cancelled group would not let its requests and tasks end. Behaviors that the caller has chosen stay.
    private static func watched(
        _ part: Part, by errors: ErrorBusService, within limit: Duration, _ source: ErrorReport.Source
    ) -> Part {
        var part = part
        // The behaviors can't be compared.
        let isFinalIfItReturns = "\(part.successTerminationBehavior)" == "\(Part.TerminationBehavior.cancelGroup)"
        if isFinalIfItReturns { part.successTerminationBehavior = .gracefullyShutdownGroup }
        if "\(part.failureTerminationBehavior)" == "\(Part.TerminationBehavior.cancelGroup)" {
            part.failureTerminationBehavior = .gracefullyShutdownGroup
        }
        // A service that its owner watches has the owner's name and limit.
        if isWatched(part.service) { return part }
        let name = name(of: part)
        part.service =
            isFinalIfItReturns
            ? errors.watchingUntilShutdown(part.service, as: name, endingWithin: limit, source)
            : errors.watching(
                part.service, as: name, endingWithin: limit, fileID: source.fileID, line: source.line)
        return part
    }

    /// The name that the caller has given a service; nil if it is the service's description, which can be long.
    private static func name(of part: Part) -> String? {
        part.serviceName == "\(part.service)" && !isWatched(part.service) ? nil : part.serviceName
    }

    /// Whether a service, or one that it runs, posts its error already; a mark can be inside or outside of it.
    private static func isWatched(_ service: any Service) -> Bool {
        if service is any WatchedService { return true }
        return (service as? any WrappingService).map { isWatched($0.wrapped) } ?? false
    }
}

/// A service that posts its error already.
private protocol WatchedService {}

extension Watched: WatchedService {}
