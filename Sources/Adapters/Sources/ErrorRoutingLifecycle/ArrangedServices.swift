import ErrorRouting
import ServiceLifecycle

/// A group's services in an order in which no error is lost: exporters, the bus, the services that the bus's tasks
/// need, the bus's tasks, and the services that stop before the tasks.
struct ArrangedServices {
    typealias Part = ServiceGroupConfiguration.ServiceConfiguration

    private(set) var parts: [Part] = []
    /// The names of the services that stop before the bus's tasks without being marked.
    private(set) var unmarked: [String] = []

    /// Arranges services.
    ///
    /// If the services already contain the bus or its tasks, these stay in place. Otherwise, the marked services, or
    /// the last service if none is marked, are listed after the tasks. `exporters` are the services that outlive the
    /// bus.
    init(
        _ services: [Part], around errors: ErrorBusService, exporters: [any Service], at source: ErrorReport.Source
    ) {
        let limits = errors.limits
        func watched(_ part: Part, within limit: Duration) -> Part {
            Self.watched(part, by: errors, within: limit, source)
        }
        // Don't limit exporters here: other services don't wait for them, so the exporters' own limits are in effect.
        let unlimited = Duration.seconds(Int64.max)
        let exporters = exporters.map {
            watched(Part(service: $0, successTerminationBehavior: .ignore), within: unlimited)
        }
        let bus = Part(service: errors)
        let tasks = Part(service: errors.tasks)

        // Treat the services before a bus that is already listed as exporters.
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

    /// Returns a service that posts its error, and that shuts the group down when it ends, instead of cancelling the
    /// group.
    ///
    /// In a cancelled group, requests and tasks couldn't finish. Termination behaviors that the caller has chosen are
    /// kept.
    private static func watched(
        _ part: Part, by errors: ErrorBusService, within limit: Duration, _ source: ErrorReport.Source
    ) -> Part {
        var part = part
        // Compare descriptions, because the behaviors aren't equatable.
        let isFinalIfItReturns = "\(part.successTerminationBehavior)" == "\(Part.TerminationBehavior.cancelGroup)"
        if isFinalIfItReturns { part.successTerminationBehavior = .gracefullyShutdownGroup }
        if "\(part.failureTerminationBehavior)" == "\(Part.TerminationBehavior.cancelGroup)" {
            part.failureTerminationBehavior = .gracefullyShutdownGroup
        }
        // Keep a service that its owner already watches, because the owner has chosen its name and limit.
        if isWatched(part.service) { return part }
        let name = name(of: part)
        part.service =
            isFinalIfItReturns
            ? errors.watchingUntilShutdown(part.service, as: name, endingWithin: limit, source)
            : errors.watching(
                part.service, as: name, endingWithin: limit, fileID: source.fileID, line: source.line)
        return part
    }

    /// Returns the name that the caller gave a service; nil if the caller gave none, because the default name is the
    /// service's description, which can be long.
    private static func name(of part: Part) -> String? {
        part.serviceName == "\(part.service)" && !isWatched(part.service) ? nil : part.serviceName
    }

    /// Returns whether a service, or a service that it wraps, already posts its error.
    ///
    /// The wrapper that marks a service to stop before the tasks can be inside or outside the wrapper that posts.
    private static func isWatched(_ service: any Service) -> Bool {
        if service is any WatchedService { return true }
        return (service as? any WrappingService).map { isWatched($0.wrapped) } ?? false
    }
}

/// A service that already posts its error.
private protocol WatchedService {}

extension Watched: WatchedService {}
