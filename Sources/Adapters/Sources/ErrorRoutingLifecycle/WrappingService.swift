public import ServiceLifecycle

extension Service {
    /// Marks a service that must stop before the bus's tasks, such as a server, or a worker that only starts tasks.
    ///
    /// The library lists such a service after ``ErrorBusService/tasks``. By default, only an application stops before
    /// the tasks, and all other services outlive them, because a task might need these services. Without a bus, the
    /// mark has no effect.
    ///
    /// ```swift
    /// let group = ServiceGroup(services: [client, server.endingBeforeTasks()], reportingTo: errors, logger: logger)
    /// ```
    ///
    /// - Returns: The marked service.
    public func endingBeforeTasks() -> some Service { EndingBeforeTasks(service: self) }
}

/// A service of the library that runs another service.
protocol WrappingService: Service {
    var wrapped: any Service { get }
}

/// A service that the caller has marked to stop before the bus's tasks.
private struct EndingBeforeTasks<Content: Service>: WrappingService, CustomStringConvertible {
    let service: Content

    var wrapped: any Service { service }
    var description: String { "\(service)" }

    func run() async throws { try await service.run() }
}

/// Returns whether a service, or a service that it wraps, is marked to stop before the bus's tasks.
func endsBeforeTasks(_ service: any Service) -> Bool {
    if service is any MarkedService { return true }
    return (service as? any WrappingService).map { endsBeforeTasks($0.wrapped) } ?? false
}

/// Returns the name of a service's type without its generic arguments; for a marked service, the name of the wrapped
/// service's type.
func typeName(of service: any Service) -> String {
    if let marked = service as? any MarkedService { return typeName(of: marked.wrapped) }
    return String("\(type(of: service))".prefix { $0 != "<" })
}

private protocol MarkedService: WrappingService {}

extension EndingBeforeTasks: MarkedService {}
