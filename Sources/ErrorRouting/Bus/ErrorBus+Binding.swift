extension ErrorBus {
    /// Binds the bus for a body and the tasks that it starts, so that `postError` and `.ambient` post to this bus there
    /// instead of the process's root.
    ///
    /// No scope is bound there, even if the caller is in one.
    ///
    /// Use it for a part of a program that doesn't run within
    /// ``withErrorBus(handler:configuration:asRoot:isolation:_:)``, such as a service next to the one that runs the
    /// bus. It neither runs nor finishes the bus.
    ///
    /// ```swift
    /// try await bus.bound { try await server.run() }
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The caller's actor, on which the body runs; the body begins without a suspension.
    ///   - body: The operation to run. It keeps the caller's isolation.
    /// - Returns: The body's result.
    /// - Throws: The body's error.
    public func bound<T, F: Error>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws(F) -> T
    ) async throws(F) -> T {
        let ambience = Ambience(bus: self, work: Ambience.current.work)
        return try await Ambience.binder.binding(ambience, isolation: isolation, body)
    }
}
